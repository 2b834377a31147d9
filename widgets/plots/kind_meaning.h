#pragma once

#include "core/collectives/collective.h"

#include <QString>

namespace shardscope
{

// What messages of a kind are for, in a line: "tensor parallelism: ranks that share every layer's matrices
// sum their parts". Empty for unknown ones.
QString meaningOf(Kind kind);

} // namespace shardscope

#pragma once

#include "core/analysis/operator_scaling.h"
#include "core/base/result.h"

#include <string_view>

namespace shardscope
{

// How many times the measured size, as a command line lists it: "h=2,s=1.5". What is not named stays 1.
// Error: the sentence says what is expected.
Result<Resizing> parseResizing(std::string_view text);

} // namespace shardscope

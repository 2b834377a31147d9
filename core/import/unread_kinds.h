#pragma once

#include "core/import/trace_format.h"

#include <string_view>

namespace shardscope
{

// Why a file that no format recognises cannot be read, by its first bytes, and what to do about it.
Rejection rejectionOfUnknown(std::string_view head);

} // namespace shardscope

#pragma once

#include "core/trace/trace_store.h"

#include <string_view>

namespace shardscope
{

enum class DecimalState { ok, not_a_number, out_of_range };

// Microseconds written as a decimal number ("1712195496004644.127", "1e3") to whole nanoseconds. Exact,
// without a detour through floating point; digits below a nanosecond are cut off.
DecimalState parseMicroseconds(std::string_view text, TraceTime& nanoseconds);

// The same with another power of ten: digits is 3 for microseconds, 6 for milliseconds, 9 for seconds.
DecimalState parseDecimal(std::string_view text, int digits, std::int64_t& scaled);

} // namespace shardscope

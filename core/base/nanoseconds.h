#pragma once

#include <cmath>
#include <cstdint>

namespace shardscope
{

// Predictions are in seconds, traces in whole nanoseconds.
inline std::int64_t nanoseconds(double seconds)
{
    return std::llround(seconds * 1e9);
}

} // namespace shardscope

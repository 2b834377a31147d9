#pragma once

#include <algorithm>
#include <cmath>

namespace shardscope
{

// Equal but for the rounding of sums in another order.
inline bool isNear(double a, double b)
{
    constexpr double rounding = 1e-9;
    return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

} // namespace shardscope

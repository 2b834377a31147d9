#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace shardscope
{

// The value in the middle; of an even number the mean of the two in the middle, of whole numbers rounded
// down. Of none: 0. One meaning for every figure that is a median (what another tool defines otherwise says
// so).
template<class T>
T medianOfSorted(const std::vector<T>& values)
{
    if (values.empty())
        return T{};
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : std::midpoint(values[half - 1], values[half]);
}

template<class T>
T median(std::vector<T> values)
{
    std::ranges::sort(values);
    return medianOfSorted(values);
}

} // namespace shardscope

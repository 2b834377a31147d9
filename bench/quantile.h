#pragma once

#include <algorithm>
#include <vector>

namespace shardscope
{

// Of frame times: fraction 0.5 is the median. 0 without values.
inline double quantile(std::vector<double> values, double fraction)
{
    if (values.empty())
        return 0.0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}

} // namespace shardscope

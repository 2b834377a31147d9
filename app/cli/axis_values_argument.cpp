#include "app/cli/axis_values_argument.h"

#include <algorithm>

namespace shardscope
{

Result<std::vector<double>> axisValuesOf(SweepAxis axis, std::string_view text)
{
    std::vector<double> values;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const Result<double> value = axisValue(axis, text.substr(begin, end - begin));
        if (!value)
            return Error{value.error().sentence};
        values.push_back(value.value());
        begin = end + 1;
    }
    return values;
}

} // namespace shardscope

#include "core/report/axis_value.h"

#include "core/base/json_writer.h"
#include "core/report/csv.h"
#include "core/scenario/words.h"

#include <cmath>

namespace shardscope
{

namespace
{

// Of the scenario format; empty where the axis has numbers.
std::string wordOf(SweepAxis axis, double value)
{
    const auto whole = static_cast<int>(std::lround(value));
    if (axis == SweepAxis::schedule)
        return std::string{word(static_cast<Schedule>(whole))};
    if (axis == SweepAxis::precision)
        return std::string{word(static_cast<Precision>(whole))};
    return {};
}

} // namespace

std::string plainAxisValue(SweepAxis axis, double value)
{
    const std::string word = wordOf(axis, value);
    return word.empty() ? allDigits(value) : word;
}

void writeAxisValue(SweepAxis axis, double value, JsonWriter& json)
{
    if (const std::string word = wordOf(axis, value); !word.empty())
        json.value(word);
    else
        json.value(value);
}

} // namespace shardscope

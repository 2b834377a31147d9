#include "core/report/axis_value.h"

#include "core/base/json_writer.h"
#include "core/report/csv.h"

namespace shardscope
{

namespace
{

bool isWord(SweepAxis axis)
{
    return axis == SweepAxis::schedule || axis == SweepAxis::precision;
}

} // namespace

std::string plainAxisValue(SweepAxis axis, double value)
{
    return isWord(axis) ? axisText(axis, value) : allDigits(value);
}

void writeAxisValue(SweepAxis axis, double value, JsonWriter& json)
{
    if (isWord(axis))
        json.value(axisText(axis, value));
    else
        json.value(value);
}

} // namespace shardscope

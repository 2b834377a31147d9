#pragma once

#include "core/sweep/sweep_axis.h"

#include <string>

namespace shardscope
{

class JsonWriter;

// A place on an axis for programs, in the CSV and JSON of sweeps and maps: all digits of a number, the word
// of a schedule or a number format. axisText() is for people.
std::string plainAxisValue(SweepAxis axis, double value);
void writeAxisValue(SweepAxis axis, double value, JsonWriter& json);

} // namespace shardscope

#pragma once

#include "core/sweep/sweep_axis.h"

#include <string_view>
#include <vector>

namespace shardscope
{

// Values of an axis as a command line lists them: "1024,2048", "1f1b,zb-h1". Error: the sentence says what is
// expected.
Result<std::vector<double>> axisValuesOf(SweepAxis axis, std::string_view text);

} // namespace shardscope

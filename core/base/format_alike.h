#pragma once

#include <array>
#include <string>

namespace shardscope
{

// Two times that are read together, as the ends of a range, both in the unit of the longer one: "1.422 h",
// "3.091 h".
std::array<std::string, 2> formatSecondsAlike(double low, double high);

} // namespace shardscope

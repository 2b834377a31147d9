#pragma once

#include <string_view>

namespace shardscope
{

// What holds of all times of a cluster that is not calibrated.
inline constexpr std::string_view not_calibrated =
    "This cluster is not calibrated: compare counts and sizes, not times.";

} // namespace shardscope

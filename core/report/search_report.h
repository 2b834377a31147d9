#pragma once

#include "core/sweep/layout_search.h"

#include <string>

namespace shardscope
{

// The fastest `top` layouts, and the front of time and memory: {"gpus", "possible", "too_large", "fitting",
// "calibrated", "best": [{"iteration_s", ..., "device_bytes", "scenario"}], "front": [...]}, and tables for
// people.
std::string searchJson(const LayoutSearch& search, const Scenario& base, std::size_t top, int indent = 2);
std::string searchText(const LayoutSearch& search, const Scenario& base, std::size_t top);

} // namespace shardscope

#pragma once

#include "core/sweep/layout_search.h"

#include <string>

namespace shardscope
{

// The fastest `top` layouts, and the front of time and memory: {"gpus", "possible", "too_large", "fitting",
// "may_be_fastest", "calibrated", "varied": ["parallel.pipeline", ...], "best": [{"iteration_s", ...,
// "device_bytes", "scenario"}], "front": [...]}, and tables for people. What was varied is named by its keys
// in a scenario, where each layout has its figures.
std::string searchJson(const LayoutSearch& search, const Scenario& base, std::size_t top, int indent = 2);
std::string searchText(const LayoutSearch& search, const Scenario& base, std::size_t top);

// What people ask of a search and it leaves as it is: "global batch 32, context 1, schedule zb-h1".
std::string keptText(const Scenario& base);

} // namespace shardscope

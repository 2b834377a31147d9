#pragma once

#include "core/sweep/layout_search.h"

#include <string>
#include <vector>

namespace shardscope
{

// The fastest `top` layouts, and the front of time and memory: {"gpus", "possible", "too_large", "fitting",
// "may_be_fastest", "calibrated", "varied": ["parallel.pipeline", ...], "followed": [...], "best":
// [{"iteration_s", ..., "device_bytes", "followed", "scenario"}], "front": [...]}, and tables for people.
// What was varied, and what followed (see followedKeys), is named by its keys in a scenario, where each
// layout has its figures.
std::string searchJson(const LayoutSearch& search, const Scenario& base, std::size_t top, int indent = 2);
std::string searchText(const LayoutSearch& search, const Scenario& base, std::size_t top);

// Conventions that are others with one of the layouts, though the search varies none:
// "conventions.tp_overlap" (see followingConventions).
std::vector<std::string> followedKeys(const std::vector<Layout>& layouts, const Scenario& base);

// What people ask of a search and it leaves as it is: "global batch 32, context 1, schedule zb-h1".
std::string keptText(const Scenario& base);

} // namespace shardscope

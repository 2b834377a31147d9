#pragma once

#include "core/sweep/time_map.h"

#include <string>
#include <vector>

namespace shardscope
{

// A map for programs and people: {"x_axis", "y_axis", "time_model", "points": [{"x", "y", "iteration_s",
// "error_band", "tokens_per_s", "mfu", "communication_ratio", "bubble_ratio", "memory_ratio"}]}, row of y
// after row of y, `problem` alone where a point cannot be trained and memory_ratio with the detailed model;
// rows for a spreadsheet, empty where there is a problem; and the iteration's time as a table. `base` is what
// the map was filled around.
std::string mapJson(const TimeMap& map, const Scenario& base, int indent = 2);
std::vector<std::string> mapColumns(const TimeMap& map);
// One for each point.
std::vector<std::vector<std::string>> mapRows(const TimeMap& map, const Scenario& base);
std::string mapCsv(const TimeMap& map, const Scenario& base);
std::string mapText(const TimeMap& map, const Scenario& base);

} // namespace shardscope

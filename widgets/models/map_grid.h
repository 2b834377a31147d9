#pragma once

#include "core/sweep/time_map.h"

#include <vector>

namespace shardscope
{

// The values along the sides of a map and the scenario that it was made around.
struct MapGrid {
    Scenario base;
    SweepAxis x_axis = SweepAxis::sequence_length;
    SweepAxis y_axis = SweepAxis::network_bandwidth;
    int side = 0; // as many as were asked for; 0: none
    std::vector<double> x_values;
    std::vector<double> y_values;
};

// The grid around a scenario, of sizes that are round enough to stand in a scenario's file. While a scenario
// moves within the grid that is shown, that grid stays: the place that was clicked is then the scenario's.
MapGrid mapGrid(const Scenario& scenario, SweepAxis x_axis, SweepAxis y_axis, int side, const MapGrid& shown);

// Whether an axis takes any size, not only some.
bool takesAnySize(SweepAxis axis);

} // namespace shardscope

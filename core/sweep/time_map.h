#pragma once

#include "core/sweep/sweep_axis.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace shardscope
{

// Which model a map is drawn with.
enum class MapModel : std::uint8_t {
    closed_form, // Li et al. 2024, Eq. 1 to 9: a million points a second
    detailed,    // operators, collectives and the schedule played
};

// A point of a map. Without an iteration it cannot be trained.
struct MapCell {
    double iteration_s = 0.0;
    double communication_ratio = 0.0; // exposed
    double bubble_ratio = 0.0;
    double tokens_per_s = 0.0;
    double mfu = 0.0;
    double memory_ratio = 0.0; // of the fullest GPU, over what it has; 0: not worked out (closed form)
    std::array<double, 2> error_band{}; // as TimePrediction has it

    bool isValid() const { return iteration_s > 0.0; }
};

// The scenario over two axes at once.
struct TimeMap {
    SweepAxis x_axis = SweepAxis::sequence_length;
    SweepAxis y_axis = SweepAxis::network_bandwidth;
    std::vector<double> x_values;
    std::vector<double> y_values;
    MapModel model = MapModel::closed_form;
    std::vector<MapCell> cells; // row of y after row of y

    const MapCell& cell(std::size_t x, std::size_t y) const { return cells[y * x_values.size() + x]; }
};

// Points a side that a model answers for that scenario within about a tenth of a second. The closed form has
// fewer with ZeRO, experts or context parallelism, which the paper leaves out: there messages are counted.
int mapSide(MapModel model, const Scenario& scenario);

// Fills the cells of a map whose axes and values are set. Rows that `stop` keeps from being worked out stay
// invalid.
void fillMap(TimeMap& map, const Scenario& base, const std::atomic<bool>* stop = nullptr);

// What is wrong at a place of a map, in words; empty: it can be trained.
std::string mapProblem(const TimeMap& map, const Scenario& base, std::size_t x, std::size_t y);

// The scenario at a place of a map. Pre: it can be trained.
Scenario mapScenario(const TimeMap& map, const Scenario& base, std::size_t x, std::size_t y);

} // namespace shardscope

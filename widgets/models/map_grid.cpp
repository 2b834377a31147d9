#include "widgets/models/map_grid.h"

#include "core/sweep/axis_values.h"
#include "core/sweep/sweep_place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace shardscope
{

namespace
{

constexpr int digits = 3;

double rounded(double value)
{
    const double unit = std::pow(10.0, digits - 1 - std::floor(std::log10(value)));
    return std::round(value * unit) / unit;
}

// Axes of whole numbers that are multiples of a step.
bool hasSteps(SweepAxis axis)
{
    return axis == SweepAxis::sequence_length || axis == SweepAxis::hidden_size || axis == SweepAxis::layers
           || axis == SweepAxis::global_batch_size || axis == SweepAxis::gpus_weak;
}

// To the axis's step times a power of two, which is at most a hundredth of a value: 25 344 instead of 25 311.
void roundToSteps(std::vector<double>& values)
{
    std::int64_t step = 0;
    for (const double value : values)
        step = std::gcd(step, static_cast<std::int64_t>(value));
    if (step <= 0)
        return;
    for (double& value : values) {
        const double steps = std::max(1.0, value / 100.0 / static_cast<double>(step));
        const double unit = static_cast<double>(step) * std::exp2(std::floor(std::log2(steps)));
        value = std::round(value / unit) * unit;
    }
}

std::vector<double> freshValues(const Scenario& scenario, SweepAxis axis, int side)
{
    std::vector<double> values = mapValues(scenario, axis, side);
    if (takesAnySize(axis))
        std::ranges::transform(values, values.begin(), rounded);
    else if (hasSteps(axis))
        roundToSteps(values);
    const auto rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
    return values;
}

bool holds(const std::vector<double>& values, double own)
{
    return !values.empty() && own >= values.front() && own <= values.back();
}

// Whether a scenario is the shown grid's but for its place on it: what else changes may change what sizes
// fit.
bool hasMovedWithin(const Scenario& scenario, const MapGrid& shown)
{
    Scenario moved = shown.base;
    const std::array place{AxisValue{shown.x_axis, ownValue(scenario, shown.x_axis)},
                           AxisValue{shown.y_axis, ownValue(scenario, shown.y_axis)}};
    return setPlace(moved, shown.base, place) == Misfit::none && moved == scenario;
}

} // namespace

bool takesAnySize(SweepAxis axis)
{
    return axis == SweepAxis::network_bandwidth || axis == SweepAxis::node_bandwidth;
}

MapGrid mapGrid(const Scenario& scenario, SweepAxis x_axis, SweepAxis y_axis, int side, const MapGrid& shown)
{
    MapGrid grid{scenario, x_axis, y_axis, side, {}, {}};
    const bool is_same = shown.side == side && shown.x_axis == x_axis && shown.y_axis == y_axis;
    const bool has_moved = is_same && hasMovedWithin(scenario, shown);
    const auto values = [&](SweepAxis axis, const std::vector<double>& before) {
        const bool stays =
            is_same && (has_moved || takesAnySize(axis)) && holds(before, ownValue(scenario, axis));
        return stays ? before : freshValues(scenario, axis, side);
    };
    grid.x_values = values(x_axis, shown.x_values);
    grid.y_values = values(y_axis, shown.y_values);
    return grid;
}

} // namespace shardscope

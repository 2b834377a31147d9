#pragma once

#include "core/prediction/prediction.h"
#include "core/sweep/sweep_axis.h"

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// A study: the scenario at each value of an axis, or at each pair of values of two.
struct Sweep {
    Scenario base;
    SweepAxis axis = SweepAxis::gpus_strong;
    std::vector<double> values;
    std::optional<SweepAxis> group_axis; // a group of points at each value of `axis`
    std::vector<double> group_values;    // of group_axis

    std::size_t groupSize() const { return group_axis ? group_values.size() : 1; }
};

// What one place costs, as predict() says it.
struct SweepPoint {
    double value = 0.0;
    double group_value = 0.0; // 0 without a second axis
    std::string problem;      // why it cannot be trained; empty: it can
    Scenario scenario;        // of that place, to be taken over
    TimePrediction time;      // all of it 0 with a problem
    std::int64_t world_size = 0;
    std::int64_t micro_batches = 0;
    std::int64_t device_bytes = 0; // of the fullest GPU
    StageMemory fullest;           // what that GPU holds
    bool fits = true;
    std::array<double, kind_count> sent_bytes{}; // by Kind, by the rank that sends most
    std::vector<std::string> warnings;           // of its prediction

    bool isValid() const { return problem.empty(); }
};

// axisText() of a point's value, with what the axis set besides: "Interleaved, v 2".
std::string pointText(const SweepPoint& point, SweepAxis axis, double value);

// What a scenario costs by itself; its values stay 0.
SweepPoint pointOf(const Scenario& scenario);

// Points by value, and within a value by group. Stops early, with the points so far, when `stop` becomes
// true.
std::vector<SweepPoint> runSweep(const Sweep& sweep, const std::atomic<bool>* stop = nullptr);

// What is to be warned of at some places and not at others: fp8 on a GPU that gains nothing from it.
struct PlaceWarning {
    std::size_t point = 0; // the first that has it
    std::string sentence;
};
std::vector<PlaceWarning> placeWarnings(const std::vector<SweepPoint>& points);

// The scenario's own place among the points; nothing where no point is equal to it in the swept figures.
std::optional<std::size_t> ownPoint(const Sweep& sweep, const std::vector<SweepPoint>& points);

} // namespace shardscope

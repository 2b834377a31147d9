#pragma once

#include "core/analysis/measurement.h"
#include "core/analysis/memory_comparison.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// One class of messages, predicted and measured, over the ranks that were read and the iterations they
// recorded.
struct ComparisonRow {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::int64_t message_bytes = 0; // -1: measured calls of unknown size
    std::int64_t predicted_count = 0;
    std::int64_t measured_count = 0;
    // Exposed, of one rank in one iteration: each message's part of its kind's.
    std::optional<double> predicted_s;
    double measured_s = 0.0;
    double measured_in_all_s = 0.0; // also what computing hides, each call in full
    std::string shown_as;           // how the backend shows these calls where it is not as they are
    // Ranks that take part in a call; nothing: there are no such calls. 0: not known, or not the same of all.
    std::optional<std::int64_t> predicted_group;
    std::optional<std::int64_t> measured_group;

    // Stages hand on in pairs, of a group that may be larger.
    bool isOfOtherGroups() const
    {
        return kind != Kind::pp && predicted_group.value_or(0) > 0 && measured_group.value_or(0) > 0
               && *predicted_group != *measured_group;
    }
    bool equal() const { return predicted_count == measured_count && !isOfOtherGroups(); }
};

// What one rank spends in one iteration on a kind's communication while it computes nothing, waiting
// included: the mean of the ranks of the busiest stage that were read; where these have no such calls, of all
// that have.
struct KindTime {
    Kind kind = Kind::unknown;
    std::optional<double> predicted_s; // nothing: not predicted apart, or the cluster is not calibrated
    double measured_s = 0.0;
    double measured_in_all_s = 0.0;  // also what computing hides, each call in full
    bool is_of_other_stages = false; // the busiest has no such calls: no part of its iteration
};

// A measured run beside a prediction: its messages, its iteration, and what each kind of message takes.
struct Comparison {
    std::vector<ComparisonRow> rows; // by kind, op, size; differences included
    std::vector<KindTime> kinds;     // kinds with calls on either side
    std::vector<std::string>
        notes; // what could not be compared and why; what backends show differently (gloo)
    std::int64_t equal_rows = 0;
    std::int64_t ranks = 0;      // that were read and belong to the scenario
    std::int64_t iterations = 1; // that each recorded
    // No backward pass was recorded: the rows, and predicted times, are of forward passes alone.
    bool is_forward_only = false;
    bool calibrated = true; // false: the cluster's times are no prediction, only counts and sizes are
    // Predicted is what a trace of the predicted timeline would tell of the ranks that were read, by the
    // definitions of what is measured. Nothing: it is not compared.
    std::optional<double> predicted_iteration_s; // nothing also where it is no whole one
    // Of the busiest stage of the measurement (computing, with the messages of its passes), the mean of its
    // ranks, as the window has it (see iteration_times.h); or a log's. 0: nothing tells.
    double measured_iteration_s = 0.0;
    // Of the same ranks.
    std::optional<double> predicted_compute_s;
    double measured_compute_s = 0.0;
    // What makes the sum of an iteration's parts, measured as computing is: idle time, copies and fills
    // alone, and what no part has, never less than nothing.
    std::optional<double> predicted_idle_s; // nothing also where no whole iteration is predicted
    double measured_idle_s = 0.0;
    double measured_memory_s = 0.0;
    std::optional<double> predicted_other_s;
    double measured_other_s = 0.0;
    MemoryComparison memory;
    bool equal() const { return equal_rows == static_cast<std::int64_t>(rows.size()); }
};

// Compares counts and sizes exactly, times as they are. A backend without an operation shows another (gloo
// has no reduce_scatter: an all_to_all of the same input); such calls are matched and noted.
Comparison compare(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                   const Measurement& measurement);
// The same without predicted times, which take longest to find.
Comparison compareCalls(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                        const Measurement& measurement);

} // namespace shardscope

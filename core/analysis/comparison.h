#pragma once

#include "core/analysis/measurement.h"
#include "core/prediction/prediction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// One class of messages, predicted and measured, over the ranks that were read and one iteration.
struct ComparisonRow {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::int64_t message_bytes = 0;
    std::int64_t predicted_count = 0;
    std::int64_t measured_count = 0;
    double measured_s = 0.0;
    bool equal() const { return predicted_count == measured_count; }
};

struct Comparison {
    std::vector<ComparisonRow> rows; // by kind, op, size; differences included
    std::vector<std::string>
        notes; // what could not be compared and why; what backends show differently (gloo)
    std::int64_t equal_rows = 0;
    double predicted_iteration_s = 0.0;
    double measured_iteration_s = 0.0; // median window of the ranks
};

// Compares counts and sizes exactly, times as they are. A backend without an operation shows another (gloo
// has no reduce_scatter: an all_to_all of the same input); such calls are matched and noted.
Comparison compare(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                   const Measurement& measurement);

} // namespace shardscope

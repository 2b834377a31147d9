#pragma once

#include "core/analysis/operator_scaling.h"
#include "core/trace/trace_set.h"

#include <string>
#include <vector>

namespace shardscope
{

// One iteration of a rank as it was measured, and at another size.
struct ResizedRank {
    std::int64_t rank = 0;
    OperatorSeconds measured;
    OperatorSeconds resized;
};
// Of all ranks with a timeline.
std::vector<ResizedRank> resizedRanks(const TraceSet& traces, const Measurement& measurement,
                                      const Resizing& resizing);
// A table for people, with what is scaled by which law; empty where no rank has a timeline.
std::string resizedText(const std::vector<ResizedRank>& ranks, const Resizing& resizing);

} // namespace shardscope

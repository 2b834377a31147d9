#pragma once

#include "core/analysis/classification/classification.h"
#include "core/base/result.h"
#include "core/inference/rank_places.h"
#include "core/trace/trace_set.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace shardscope
{

// The layers that each rank's operators show; of several files of a rank the first that shows any. Reads each
// file once more. Error: none shows any, or `stop` became true.
Result<std::vector<RankShapes>> shapesOfRanks(const TraceSet& traces, const std::atomic<bool>* stop);

// Whether the layers could be shown by files of these formats: not by logs, or by lists of calls.
bool mayShowLayers(const TraceSet& traces);

// How many there are, as the files tell it; at least one more than the last rank that has a file.
std::int64_t ranksOfRun(const TraceSet& traces);

// The size of the groups that serve a kind by their description; 0: none does.
std::int64_t groupSize(Kind kind, const TraceSet& traces, const ClassificationRules& rules);

} // namespace shardscope

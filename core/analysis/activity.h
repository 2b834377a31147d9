#pragma once

#include "core/analysis/analyze.h"
#include "core/analysis/gpu_time/gpu_activity.h"
#include "core/analysis/gpu_time/operator_times.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// How one rank's GPU was fed and by whom: from a file that has both the GPU's events and the CPU's.
struct RankActivity {
    std::int64_t rank = 0;
    TimeDistribution distribution;
    IdleCauses idle;
    std::vector<StreamActivity> streams;
    std::vector<LaunchFigures> launches;
    std::vector<MemoryMoveRow> memory_moves;
    std::vector<OperatorRow> operators;
};

// Of one file, whose classes say which events count.
RankActivity fileActivity(const TraceFile& file, const EventClasses& classes);

// By rank; of several files of a rank the first that has GPU events. Of options, the rules and the step are
// used. Files without GPU events have none of this, digests nothing of a single step.
std::vector<RankActivity> measureActivity(const TraceSet& traces, const AnalysisOptions& options = {});

} // namespace shardscope

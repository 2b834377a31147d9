#pragma once

#include "core/analysis/measurement.h"

#include <optional>
#include <vector>

namespace shardscope
{

// The timers of all files by name, in the order in which they first occur: every record counts.
std::vector<MeasuredTimer> timerFigures(const TraceSet& traces);

// The bubble of a measured pipeline schedule, a file a stage. Measured: 1 - (the stages' mean time in passes)
// / (the longest stage's time from its first start to its last end), the median over iterations. Ideal:
// (p-1)/(p-1+m) of the time for m forward passes on each of p stages (Narayanan et al. 2021, Sec. 2.2; with
// chunks m counts each). Nothing without such files.
std::optional<MeasuredBubble> bubbleFigures(const TraceSet& traces);

} // namespace shardscope

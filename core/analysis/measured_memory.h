#pragma once

#include "core/analysis/measurement.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// The peak of every rank's GPU, by rank, one that nothing names first: the largest that any of its files
// tells. Of a profiler's trace it is the greatest value of its counters, of several GPUs the fullest one;
// counters that begin at the recording's begin tell no peak.
std::vector<RankMemory> measuredMemory(const TraceSet& traces);

// How many ranks the run has whose memory was measured: as all files that say so tell, or as ranks from 0 on
// without a gap show; 0: not told.
std::int64_t ranksOfMeasuredMemory(const TraceSet& traces, const Measurement& measurement);

} // namespace shardscope

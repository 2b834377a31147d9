#pragma once

#include "core/analysis/analyze.h"
#include "core/analysis/calls/call.h"
#include "core/analysis/measurement.h"

#include <string>
#include <vector>

namespace shardscope
{

// Times, counts, collectives and kernels of every rank, by rank, from the files that have a timeline or list
// calls. Files of one rank add up, and a note says so. Also finds how much of each call is exposed. Of
// options, the step is used, which the classes follow already: for digests.
std::vector<RankMeasurement> measureRanks(const TraceSet& traces, const std::vector<EventClasses>& classes,
                                          const AnalysisOptions& options, CallList& list,
                                          std::vector<std::string>& notes);

} // namespace shardscope

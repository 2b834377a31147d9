#pragma once

#include "core/analysis/call.h"
#include "core/analysis/measurement.h"

#include <string>
#include <vector>

namespace shardscope
{

// Times, counts, collectives and kernels of every rank, by rank, from the files that have a timeline or list
// calls. Files of one rank add up, and a note says so. Also finds how much of each call is exposed.
std::vector<RankMeasurement> measureRanks(const TraceSet& traces, const std::vector<EventClasses>& classes,
                                          CallList& list, std::vector<std::string>& notes);

} // namespace shardscope

#pragma once

#include "core/analysis/measurement.h"

#include <string>
#include <vector>

namespace shardscope
{

// What the dumps of PyTorch's flight recorder, or digests of them, tell of the collectives that did not
// complete: one row for each group that has any, the likely cause first. Sends and receives have no rows;
// they only tell who waits for whom. A sentence where several dumps claim one rank, so that nothing can be
// told.
std::vector<UnfinishedCollective> unfinishedCollectives(const TraceSet& traces,
                                                        std::vector<std::string>& notes);

} // namespace shardscope

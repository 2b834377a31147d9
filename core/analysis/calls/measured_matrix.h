#pragma once

#include "core/analysis/calls/call.h"
#include "core/scenario/scenario.h"

#include <set>
#include <string>
#include <vector>

namespace shardscope
{

// Ranks of which a file was read. Nobody tells what the others sent, but for what these received of them.
std::set<std::int64_t> recordedRanks(const TraceSet& traces);

// Who sent how many bytes to whom, under the ring convention (see wireBytes()): to the next member in group
// order; broadcast and reduce along the chain from the first member; all_to_all in equal parts straight to
// each member; send to its peer, or shared among the neighbours in a pipeline that does not name it: as often
// to the next stage as to the one before; where the pipelines are as long as the layout's (null: not known),
// as many stages on each rank as it has go round from the last rank to the first. A receive counts only where
// its sender was not read. By kind, sender, receiver. Notes count the calls whose size or group is not known.
std::vector<MeasuredCell> measuredMatrix(const TraceSet& traces, const CallList& list, const Parallel* layout,
                                         std::vector<std::string>& notes);

} // namespace shardscope

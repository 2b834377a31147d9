#pragma once

#include "core/analysis/calls/call.h"

#include <string>
#include <vector>

namespace shardscope
{

// Who sent how many bytes to whom, under the ring convention (see wireBytes()): to the next member in group
// order; broadcast and reduce along the chain from the first member; all_to_all in equal parts straight to
// each member; send to its peer, or in equal shares to the neighbours in a pipeline that does not name it. A
// receive counts only where its sender was not read. By kind, sender, receiver. Notes count the calls whose
// size or group is not known.
std::vector<MeasuredCell> measuredMatrix(const TraceSet& traces, const CallList& list,
                                         std::vector<std::string>& notes);

} // namespace shardscope

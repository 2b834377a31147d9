#pragma once

#include "core/trace/trace_set.h"

namespace shardscope
{

// Counts the ranks that a file alone does not tell, but all files together do. Names like "TP-0-DP-1-PP-0"
// say how large the layout is; ranks go through it as tp-cp-dp-pp. Where no name has a 0 they tell the
// degrees of several runs ("llama_tp2_dp4"), and no rank. Files of one folder that hold several unnamed ranks
// each, as one file for each host does, count on from one to the next.
void placeRanks(TraceSet& traces);

} // namespace shardscope

#pragma once

#include "core/trace/trace_set.h"

namespace shardscope
{

// Traces of one format that lie in several folders and claim the same ranks are of several runs, or of
// several iterations that were written one by one: their sums would be nobody's. Keeps the first folder by
// name with all that does not contradict it, and adds to the set's warnings what was left out.
void keepOneRun(TraceSet& traces);

} // namespace shardscope

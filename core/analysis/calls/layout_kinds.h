#pragma once

#include "core/analysis/calls/call.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// The kinds of calls that nothing in the trace told, from the layout of a scenario: a thread of gloo's, or a
// stream of NCCL's, belongs to one group, so all its calls are of one kind, and the counts and sizes that the
// rank must show tell which. A unit that two kinds would explain equally well stays unknown.
//
// Also gives groups (members in ring order) to calls whose kind is known but whose group the file does not
// name. Notes say why the layout could not serve.
void findKindsByLayout(const TraceSet& traces, const Scenario& scenario, const Prediction& prediction,
                       CallList& list, std::vector<std::string>& notes);

// Iterations that the profiler recorded in this file: its ProfilerStep annotations, 1 without them.
std::int64_t recordedIterations(const TraceFile& file);
// The same of all files of a rank. One that lists calls alone, as an execution trace does, tells again what
// another file of the rank has timed.
std::int64_t recordedIterations(const TraceSet& traces, std::int64_t rank);

} // namespace shardscope

#pragma once

#include "core/analysis/classification/classification.h"
#include "core/trace/trace_set.h"

#include <string>
#include <vector>

namespace shardscope
{

// Which files list calls that another file of the same rank tells better: an execution trace beside the
// timeline of its run, a log beside a flight recorder dump. Their calls must not count twice. `classes[i]`
// belongs to traces.files[i].
std::vector<bool> filesThatRepeatCalls(const TraceSet& traces, const std::vector<EventClasses>& classes);

// A sentence for each format that is left out.
void noteRepeatedCalls(const TraceSet& traces, const std::vector<bool>& is_repeated,
                       std::vector<std::string>& notes);

// False for logs and tables, whose calls come without the time at which they ran.
bool hasTimeline(const TraceFile& file);

} // namespace shardscope

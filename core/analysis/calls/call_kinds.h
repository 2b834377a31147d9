#pragma once

#include "core/analysis/calls/call.h"

#include <string>
#include <vector>

namespace shardscope
{

// Gives each call the kind that the trace itself tells, by the first of: its group's description, a rule over
// its name or its group's name, an annotation around it. `kind_from` says which. Calls of which nothing tells
// stay unknown.
void findToldKinds(const TraceSet& traces, const std::vector<EventClasses>& classes,
                   const ClassificationRules& rules, CallList& list);

// A run with no group but the default one has one dimension; what data parallelism sends is counted as dp
// there, with "only group" as its origin. For calls that nothing else told.
void findKindsOfOnlyGroup(const TraceSet& traces, CallList& list);

// Where all that ranks send is data parallelism's, and no file names a group, it is that of all ranks, if it
// is known how many there are. A note says so.
void findGroupOfAllRanks(const TraceSet& traces, CallList& list, std::vector<std::string>& notes);

} // namespace shardscope

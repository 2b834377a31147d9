#pragma once

#include "core/analysis/calls/call.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// One collective, or one message with its receipt, as the ranks that were read recorded it: one call a rank,
// by rank.
struct MatchedCall {
    std::vector<const Call*> calls;
    bool is_point_to_point = false;
    // Counted, and the ranks recorded different numbers of the group's calls: those before the missing one
    // are not known from those behind it.
    bool may_be_shifted = false;
};

// The shortest of the ranks' durations: what the call takes once all are there.
std::int64_t transferTime(const MatchedCall& matched);

// Whether the ranks did different things, so that calls must be missing in a trace: another operation, or
// another size of one that has the same on all ranks. What a trace does not tell differs from nothing.
bool differs(const MatchedCall& matched);

// Which calls of several ranks are one: the n-th of a group in start order on each of its ranks, or the one
// with the same sequence number where every call of the group has it; the n-th send to a rank and that rank's
// n-th receive from the sender. Groups of which more ranks have calls than it has members are several of one
// name and are left out. Calls of no known group are taken as one group, if every rank has the same
// operations in the same order and nothing told the kind of any. Notes say what could not be matched. The
// list must outlive the answer.
std::vector<MatchedCall> matchCalls(const TraceSet& traces, const CallList& list,
                                    std::vector<std::string>& notes);

} // namespace shardscope

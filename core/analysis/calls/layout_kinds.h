#pragma once

#include "core/analysis/calls/call.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace shardscope
{

// What of the recorded calls a scenario's layout does not explain.
struct LayoutMisfit {
    std::int64_t unknown_calls = 0;     // it does not tell their kind
    std::int64_t differing_classes = 0; // kinds and sizes that a rank has more or fewer calls of
    bool isNone() const { return unknown_calls == 0 && differing_classes == 0; }
    bool exceeds(const LayoutMisfit& other) const // in either
    {
        return unknown_calls > other.unknown_calls || differing_classes > other.differing_classes;
    }
    bool operator<(const LayoutMisfit& other) const
    {
        return std::tie(unknown_calls, differing_classes)
               < std::tie(other.unknown_calls, other.differing_classes);
    }
};

// The kinds of calls that nothing in the trace told, from the layout of a scenario: a thread of gloo's, or a
// stream of NCCL's, belongs to one group, so all its calls are of one kind, and the counts and sizes that the
// rank must show tell which. A unit that two kinds would explain equally well stays unknown.
//
// Also gives groups (members in ring order) to calls whose kind is known but whose group the file does not
// name. Notes say why the layout could not serve. The list has the calls of so many `iterations`; nothing: as
// many as each file recorded.
LayoutMisfit findKindsByLayout(const TraceSet& traces, const Scenario& scenario, CallList& list,
                               std::vector<std::string>& notes,
                               std::optional<std::int64_t> iterations = std::nullopt);

// What findKindsByLayout() would leave, without doing it; nothing where that exceeds `most`, which costs less
// to find out.
std::optional<LayoutMisfit> misfitOfLayout(const TraceSet& traces, const Scenario& scenario,
                                           const CallList& list, const LayoutMisfit& most,
                                           std::optional<std::int64_t> iterations = std::nullopt);

// Iterations that the profiler recorded in this file: its ProfilerStep annotations, 1 without them.
std::int64_t recordedIterations(const TraceFile& file);
// The same of all files of a rank. One that lists calls alone, as an execution trace does, tells again what
// another file of the rank has timed.
std::int64_t recordedIterations(const TraceSet& traces, std::int64_t rank);

} // namespace shardscope

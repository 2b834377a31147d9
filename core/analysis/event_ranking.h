#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/measurement.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

// An event of a run, and how much of the time before it belongs to what it stands for: the gap that it ends,
// the call that launched it, the others' waiting.
struct RunEvent {
    std::size_t file = 0; // row in TraceSet::files
    EventIndex event{};
    TraceTime before_ns = 0;
    TraceTime weight_ns = 0; // that it is ranked by
    bool operator==(const RunEvent&) const = default;
};

inline constexpr std::size_t most_ranked_events = 1000; // that anyone looks at one after the other

// At most `most_ranked_events`, what weighs most first; of equals, what stood first.
std::vector<RunEvent> heaviest(std::vector<RunEvent> events);

// The single events behind a figure of a table, the heaviest().
// `rank`: of that rank's files alone.

// Operators of a name, longest first, inner ones included.
std::vector<RunEvent> longestOperators(const TraceSet& traces, std::string_view name,
                                       std::optional<std::int64_t> rank);
// Of a name, what the breakdown counts: kernels and copies, longest first; without a GPU operators and calls.
std::vector<RunEvent> longestKernels(const TraceSet& traces, const ClassificationRules& rules,
                                     std::string_view name, std::optional<std::int64_t> rank);
// What a call of the runtime or driver started on the GPU, longest delayed first.
std::vector<RunEvent> slowestLaunches(const TraceSet& traces, std::string_view call, std::int64_t rank);
// Copies and fills of a sort (see MemoryMoveRow), longest first.
std::vector<RunEvent> longestMoves(const TraceSet& traces, std::string_view sort, std::int64_t rank);
// What ended the gaps of a stream, or of the whole GPU (nothing), longest gap first.
std::vector<RunEvent> longestGaps(const TraceSet& traces, const ClassificationRules& rules,
                                  std::optional<std::string_view> stream, std::int64_t rank);
// The mark of a rank's training step on the CPU.
std::vector<RunEvent> marksOfStep(const TraceSet& traces, std::int64_t number, std::int64_t rank);
// Communication calls that run while their rank computes nothing, those longest first.
std::vector<RunEvent> longestExposedCalls(const Measurement& measurement);
// Calls that a rank was the last to start, by what the others waited.
std::vector<RunEvent> delayingCalls(const TraceSet& traces, const Measurement& measurement,
                                    std::int64_t rank);
// Calls of a row of CrossRank::group_transfers, slowest first, each on the rank that came last.
std::vector<RunEvent> slowestTransfers(const TraceSet& traces, const Measurement& measurement,
                                       std::size_t group_row);

} // namespace shardscope

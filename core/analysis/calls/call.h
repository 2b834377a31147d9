#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/measurement.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// One communication call of one rank, with all that its file tells and what was found out about it. Texts
// belong to the trace set, which outlives the list.
struct Call {
    std::size_t file = 0; // row in TraceSet::files
    std::int64_t rank = 0;
    std::string_view name;
    Op op = Op::other;
    std::string_view dtype;
    std::int64_t in_bytes = -1;
    std::int64_t out_bytes = -1;
    std::int64_t message_bytes = -1;
    SizesFrom sizes_from = SizesFrom::none;
    std::int64_t count = 1; // formats without a timeline add equal calls up

    bool is_timed = false; // on a timeline: start, track and event hold
    TraceTime start = 0;
    std::int64_t duration_ns = -1; // of one call; -1: not told
    std::int64_t exposed_ns = 0;   // as in MeasuredCall
    bool is_of_step = true;        // false: the profiler marked steps, and it belongs to none
    EventIndex event{};
    TrackIndex track{};

    std::int64_t group_size = 0; // 0: unknown
    std::string_view group;
    std::string_view description;
    std::string_view group_ranks;
    std::string_view in_splits; // of an all_to_all, as CollectiveCall has it
    std::int64_t sequence = -1;
    int members = -1;       // row in CallList::groups; -1: unknown
    std::int64_t peer = -1; // of send and recv, a rank of the world; -1: unknown

    Kind kind = Kind::unknown;
    std::string_view kind_from; // as in MeasuredCollective
};

struct CallList {
    std::vector<Call> calls;                       // by file; by start where they are timed
    std::vector<std::vector<std::int64_t>> groups; // members in ring order, each group once
    std::vector<bool> is_repeated;                 // by file: see filesThatRepeatCalls()

    int addGroup(const std::vector<std::int64_t>& members);
};

// Every communication call of the set. `classes[i]` belongs to traces.files[i] (unused for a file without
// events). Sizes, groups and peers are filled in; kinds are not.
CallList communicationCalls(const TraceSet& traces, const std::vector<EventClasses>& classes);

} // namespace shardscope

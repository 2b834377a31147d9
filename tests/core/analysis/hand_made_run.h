#pragma once

#include "core/analysis/calls/call.h"
#include "core/trace/trace_builder.h"

#include <string>
#include <vector>

namespace shardscope
{

// A call of a GPU trace that a test writes down: on one stream, all that PyTorch writes beside it.
struct HandMadeCall {
    TraceTime start = 0;
    std::int64_t duration_ns = 0;
    std::string name = "allreduce";
    std::int64_t in_bytes = -1;
    std::int64_t out_bytes = -1;
    std::string group = {};
    std::string ranks = {}; // "[0, 1]"
    std::int32_t peer = -1;
    std::int64_t sequence = -1;
    std::string description = {};
    std::string in_splits = {}; // "[4, 12]"
    std::int64_t group_size = 0;
};

inline TraceFile handMadeFile(std::int64_t rank, const std::vector<HandMadeCall>& calls)
{
    TraceBuilder builder;
    const auto stream = builder.addTrack("0", "24", true);
    for (const HandMadeCall& made : calls) {
        CollectiveCall call;
        call.event =
            builder.addEvent(stream, made.start, made.duration_ns, "ncclDevKernel_" + made.name, "kernel");
        call.name = builder.intern(made.name);
        call.in_bytes = made.in_bytes;
        call.out_bytes = made.out_bytes;
        call.group_size = made.group_size;
        call.group = builder.intern(made.group);
        call.group_description = builder.intern(made.description);
        call.group_ranks = builder.intern(made.ranks);
        call.in_splits = builder.intern(made.in_splits);
        (made.name == "recv" ? call.source_rank : call.destination_rank) = made.peer;
        call.sequence = made.sequence;
        call.sizes_from = made.in_bytes >= 0 ? SizesFrom::kernel : SizesFrom::none;
        builder.addCollective(call);
    }
    TraceFile file;
    file.path = "rank" + std::to_string(rank) + ".json";
    file.format = "kineto";
    file.rank = rank;
    file.rank_is_known = true;
    file.store = builder.finish();
    return file;
}

// The calls of hand-made files, before kinds are looked for.
inline CallList callsOf(const TraceSet& traces)
{
    std::vector<EventClasses> classes;
    for (const TraceFile& file : traces.files)
        classes.emplace_back(*file.store, ClassificationRules::shipped());
    return communicationCalls(traces, classes);
}

} // namespace shardscope

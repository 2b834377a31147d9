#include "core/analysis/calls/call.h"

#include "core/analysis/calls/call_groups.h"
#include "core/analysis/calls/repeated_calls.h"
#include "core/analysis/classification/collective_name.h"
#include "core/base/nanoseconds.h"

#include <algorithm>

namespace shardscope
{

namespace
{

Call timedCall(const TraceFile& file, EventIndex event)
{
    const TraceStore& store = *file.store;
    Call call;
    call.is_timed = true;
    call.event = event;
    call.start = store.start(event);
    call.duration_ns = store.duration(event);
    call.name = store.name(event);
    if (const CollectiveCall* told = store.collective(event)) {
        const auto text = [&](NameId id) { return store.names().text(id); };
        if (told->name != no_name)
            call.name = text(told->name);
        call.dtype = text(told->dtype);
        call.in_bytes = told->in_bytes;
        call.out_bytes = told->out_bytes;
        call.group_size = told->group_size;
        call.group = text(told->group);
        call.description = text(told->group_description);
        call.group_ranks = text(told->group_ranks);
        call.in_splits = text(told->in_splits);
        call.sequence = told->sequence;
        call.sizes_from = told->sizes_from;
        call.op = opFromName(call.name);
        // Most files have the peer alone.
        const std::int64_t to_or_from = call.op == Op::recv ? told->source_rank : told->destination_rank;
        call.peer = to_or_from >= 0 ? to_or_from : std::max(told->source_rank, told->destination_rank);
    }
    call.op = opFromName(call.name);
    return call;
}

Call untimedCall(const SizedCall& told)
{
    Call call;
    call.name = told.name;
    call.op = opFromName(told.name);
    call.dtype = told.dtype;
    call.in_bytes = told.in_bytes;
    call.out_bytes = told.out_bytes;
    call.count = told.count;
    call.duration_ns = told.time_s >= 0.0 ? nanoseconds(told.time_s) : -1;
    call.group_size = told.group_size;
    call.group = told.group;
    call.description = told.group_description;
    call.peer = told.peer;
    call.in_splits = told.in_splits;
    return call;
}

// Operations on one buffer take in and give out the same bytes.
void completeSizes(Call& call)
{
    const bool one_buffer = call.op == Op::all_reduce || call.op == Op::broadcast || call.op == Op::reduce
                            || call.op == Op::send || call.op == Op::recv;
    if (one_buffer && call.in_bytes < 0)
        call.in_bytes = call.out_bytes;
    if (one_buffer && call.out_bytes < 0)
        call.out_bytes = call.in_bytes;
    call.message_bytes = messageBytes(call.op, call.in_bytes, call.out_bytes, call.group_size);
}

} // namespace

int CallList::addGroup(const std::vector<std::int64_t>& members)
{
    const auto found = std::find(groups.begin(), groups.end(), members);
    if (found == groups.end())
        groups.push_back(members);
    return static_cast<int>(std::distance(groups.begin(), std::find(groups.begin(), groups.end(), members)));
}

CallList communicationCalls(const TraceSet& traces, const std::vector<EventClasses>& classes)
{
    CallList list;
    list.is_repeated = filesThatRepeatCalls(traces, classes);
    for (std::size_t f = 0; f < traces.files.size(); ++f) {
        const TraceFile& file = traces.files[f];
        if (list.is_repeated[f])
            continue;
        const std::size_t first = list.calls.size();
        for (std::size_t t = 0; file.store && t < file.store->tracks().size(); ++t) {
            const Track& track = file.store->tracks()[t];
            for (std::uint32_t i = 0; i < track.count; ++i) {
                const EventIndex event{static_cast<std::uint32_t>(track.first) + i};
                if (classes[f].of(event) != EventClass::communication)
                    continue;
                list.calls.push_back(timedCall(file, event));
                list.calls.back().track = TrackIndex{static_cast<std::uint32_t>(t)};
            }
        }
        std::stable_sort(list.calls.begin() + static_cast<std::ptrdiff_t>(first), list.calls.end(),
                         [](const Call& a, const Call& b) { return a.start < b.start; });
        for (const SizedCall& call : file.calls)
            list.calls.push_back(untimedCall(call));
        for (std::size_t i = first; i < list.calls.size(); ++i) {
            list.calls[i].file = f;
            list.calls[i].rank = file.rank;
        }
    }
    findGroupMembers(traces, list);
    findPeers(traces, list);
    for (Call& call : list.calls)
        completeSizes(call);
    return list;
}

} // namespace shardscope

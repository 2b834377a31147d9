#include "core/analysis/calls/call_kinds.h"

#include "core/analysis/classification/collective_name.h"
#include "core/trace/rank_claims.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

namespace shardscope
{

namespace
{

// An annotation that a rule gives a kind to.
struct KindSpan {
    TraceTime start = 0;
    TraceTime end = 0;
    Kind kind = Kind::unknown;
    Op op = Op::other; // where its name tells one: "ptdp::tp.all_reduce|..."
    TrackIndex track{};
};

std::vector<KindSpan> kindSpans(const TraceStore& store, const EventClasses& classes,
                                const ClassificationRules& rules)
{
    std::map<NameId, Kind> kinds;
    std::vector<KindSpan> spans;
    for (std::size_t i = 0; i < store.size(); ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        if (classes.of(event) != EventClass::annotation)
            continue;
        const auto [known, is_new] = kinds.try_emplace(store.nameId(event), Kind::unknown);
        if (is_new)
            known->second = rules.kindOf(store.name(event));
        if (known->second != Kind::unknown)
            spans.push_back({store.start(event), store.end(event), known->second,
                             opFromName(store.name(event)), store.track(event)});
    }
    std::stable_sort(spans.begin(), spans.end(),
                     [](const KindSpan& a, const KindSpan& b) { return a.start < b.start; });
    return spans;
}

// The kind of the innermost annotation around the call's start. On a GPU only those of its own stream are
// around it. Several threads may have one open at once: those that name the call's operation go before the
// others; unknown where threads disagree.
Kind kindAround(const Call& call, const std::vector<const KindSpan*>& open, bool same_track)
{
    for (const bool naming_op : {true, false}) {
        std::map<TrackIndex, Kind> innermost; // spans come by start, so the last of a track is the innermost
        for (const KindSpan* span : open)
            if ((!same_track || span->track == call.track) && (!naming_op || span->op == call.op))
                innermost[span->track] = span->kind;
        if (innermost.empty())
            continue;
        const Kind kind = innermost.begin()->second;
        const bool agree =
            std::all_of(innermost.begin(), innermost.end(), [&](const auto& x) { return x.second == kind; });
        return agree ? kind : Kind::unknown;
    }
    return Kind::unknown;
}

// A thread of gloo's belongs to one group, so all its calls are of one kind. An annotation is over before the
// thread begins where nobody waits for the call; then the thread's other calls tell.
void findKindsOfThreads(std::span<Call> calls)
{
    std::map<TrackIndex, std::map<Kind, std::string_view>> told; // and by what
    for (const Call& call : calls)
        if (call.is_timed && call.kind != Kind::unknown)
            told[call.track].emplace(call.kind, call.kind_from);
    for (Call& call : calls) {
        if (!call.is_timed || call.kind != Kind::unknown || isPointToPoint(call.op))
            continue;
        if (const auto kinds = told.find(call.track); kinds != told.end() && kinds->second.size() == 1)
            std::tie(call.kind, call.kind_from) = *kinds->second.begin();
    }
}

void findAnnotatedKinds(const TraceFile& file, const EventClasses& classes, const ClassificationRules& rules,
                        std::span<Call> calls)
{
    const std::vector<KindSpan> spans = kindSpans(*file.store, classes, rules);
    std::vector<const KindSpan*> open;
    std::size_t next = 0;
    for (Call& call : calls) {
        if (!call.is_timed)
            continue;
        while (next < spans.size() && spans[next].start <= call.start)
            open.push_back(&spans[next++]);
        std::erase_if(open, [&](const KindSpan* span) { return span->end < call.start; });
        if (call.kind != Kind::unknown)
            continue;
        call.kind = kindAround(call, open, classes.onGpu());
        if (call.kind != Kind::unknown)
            call.kind_from = "annotation";
    }
    if (!classes.onGpu())
        findKindsOfThreads(calls);
}

} // namespace

void findToldKinds(const TraceSet& traces, const std::vector<EventClasses>& classes,
                   const ClassificationRules& rules, CallList& list)
{
    std::map<std::string_view, Kind> names;
    std::map<std::string_view, Kind> groups;
    const auto kindOf = [&](std::string_view name) {
        const auto [known, is_new] = names.try_emplace(name, Kind::unknown);
        if (is_new)
            known->second = rules.kindOf(name);
        return known->second;
    };
    const auto kindOfGroup = [&](std::string_view name) {
        const auto [known, is_new] = groups.try_emplace(name, Kind::unknown);
        if (is_new)
            known->second = rules.kindOfGroup(name);
        return known->second;
    };
    for (Call& call : list.calls) {
        const std::string_view event_name =
            call.is_timed ? traces.files[call.file].store->name(call.event) : std::string_view{};
        if (call.kind = kindOfGroup(call.description); call.kind != Kind::unknown)
            call.kind_from = "group description";
        else if (call.kind = kindOfGroup(call.group); call.kind != Kind::unknown)
            call.kind_from = "rule";
        else if (call.kind = kindOf(event_name); call.kind != Kind::unknown)
            call.kind_from = "rule";
    }
    for (auto first = list.calls.begin(); first != list.calls.end();) {
        const auto last =
            std::find_if(first, list.calls.end(), [&](const Call& c) { return c.file != first->file; });
        if (const TraceFile& file = traces.files[first->file]; file.store)
            findAnnotatedKinds(file, classes[first->file], rules, {first, last});
        first = last;
    }
}

void findKindsOfOnlyGroup(const TraceSet& traces, CallList& list)
{
    const auto servesData = [](Op op) {
        return op == Op::all_reduce || op == Op::all_gather || op == Op::reduce_scatter || op == Op::reduce
               || op == Op::broadcast;
    };
    for (Call& call : list.calls) {
        const auto& groups = traces.files[call.file].groups;
        const bool only = std::none_of(groups.begin(), groups.end(), [](const ProcessGroup& group) {
            return group.description != "default_pg" && group.size != 1;
        });
        if (call.kind == Kind::unknown && call.description == "default_pg" && only && servesData(call.op)) {
            call.kind = Kind::dp;
            call.kind_from = "only group";
        }
    }
}

void findGroupOfAllRanks(const TraceSet& traces, CallList& list, std::vector<std::string>& notes)
{
    const bool is_all_there_is = std::ranges::all_of(list.calls, [](const Call& call) {
        return call.kind == Kind::dp && call.group.empty() && call.members < 0 && !isPointToPoint(call.op);
    });
    const std::int64_t world = undisputedWorldSizeOf(traces);
    if (list.calls.empty() || !is_all_there_is || world < 2)
        return;
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(world));
    std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
    const int members = list.addGroup(ranks);
    for (Call& call : list.calls) {
        call.members = members;
        call.group_size = world;
        if (call.message_bytes < 0)
            call.message_bytes = messageBytes(call.op, call.in_bytes, call.out_bytes, world);
    }
    notes.push_back(
        "nothing but data parallelism was recorded, and no group: its calls are taken to be of all "
        + std::to_string(world) + " ranks");
}

} // namespace shardscope

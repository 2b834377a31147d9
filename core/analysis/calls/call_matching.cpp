#include "core/analysis/calls/call_matching.h"

#include "core/analysis/classification/collective_name.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace shardscope
{

namespace
{

// What makes two calls members of the same group, whatever their ranks.
struct GroupKey {
    std::string_view name;
    std::string_view ranks;
    Kind kind = Kind::unknown; // of a group that the layout gave
    int members = -1;
    std::int64_t sender = -1; // of messages
    std::int64_t receiver = -1;
    auto operator<=>(const GroupKey&) const = default;
};

using CallsOfRank = std::map<std::int64_t, std::vector<const Call*>>;

bool isPointToPoint(const Call& call)
{
    return call.op == Op::send || call.op == Op::recv;
}

// Calls whose group has no name and whose kind is open are one sequence, even where the file tells some of
// them the members: it may have lost that of others.
GroupKey keyOf(const Call& call)
{
    GroupKey key;
    key.name = call.group;
    if (call.group.empty())
        key.kind = call.kind;
    else if (call.members < 0)
        key.ranks = call.group_ranks;
    if (!call.group.empty() || call.kind != Kind::unknown || isPointToPoint(call))
        key.members = call.members;
    if (isPointToPoint(call)) {
        key.sender = call.op == Op::send ? call.rank : call.peer;
        key.receiver = call.op == Op::send ? call.peer : call.rank;
    }
    return key;
}

// Numbers each call within its rank: by sequence number where all have one, else 0, 1, 2, ...
std::map<std::pair<std::int64_t, int>, std::vector<const Call*>> numbered(const CallsOfRank& ranks)
{
    const bool by_sequence = std::all_of(ranks.begin(), ranks.end(), [](const auto& rank) {
        return std::all_of(rank.second.begin(), rank.second.end(),
                           [](const Call* c) { return c->sequence >= 0; });
    });
    std::map<std::pair<std::int64_t, int>, std::vector<const Call*>> found;
    for (const auto& [rank, calls] : ranks) {
        std::map<std::int64_t, int> repeats;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const std::int64_t number = by_sequence ? calls[i]->sequence : static_cast<std::int64_t>(i);
            found[{number, repeats[number]++}].push_back(calls[i]);
        }
    }
    return found;
}

// Whether all ranks show the same operations in the same order, as far as the shortest goes. On a GPU one
// profiler may have dropped what another kept, so sizes are asked only of traces without: an all_reduce has
// one size on all ranks.
bool sameOperations(const TraceSet& traces, const CallsOfRank& ranks)
{
    const auto opOf = [&](const Call* call) {
        return opFromName(traces.files[call->file].store->name(call->event));
    };
    const auto areOne = [&](const Call* a, const Call* b) {
        const TraceStore& store = *traces.files[a->file].store;
        const bool on_gpu = store.tracks()[static_cast<std::size_t>(a->track)].is_gpu;
        return opOf(a) == opOf(b)
               && (on_gpu || a->op != Op::all_reduce || a->message_bytes == b->message_bytes);
    };
    const std::vector<const Call*>& first = ranks.begin()->second;
    return std::all_of(ranks.begin(), ranks.end(), [&](const auto& rank) {
        const auto count = static_cast<std::ptrdiff_t>(std::min(first.size(), rank.second.size()));
        return std::equal(first.begin(), first.begin() + count, rank.second.begin(), areOne);
    });
}

// Calls by group; sends and receives of unknown peers are counted instead.
std::map<GroupKey, CallsOfRank> callsByGroup(const CallList& list, std::int64_t& without_peer)
{
    std::map<GroupKey, CallsOfRank> groups;
    for (const Call& call : list.calls) {
        if (!call.is_timed)
            continue;
        if (isPointToPoint(call) && call.peer < 0)
            ++without_peer;
        else
            groups[keyOf(call)][call.rank].push_back(&call);
    }
    return groups;
}

// Whether calls of this key can be matched, and if not, why.
enum class Matching : std::uint8_t { possible, as_one_group, several_groups, different_operations };

Matching matchingOf(const TraceSet& traces, const GroupKey& key, const CallsOfRank& ranks)
{
    if (!key.name.empty() || key.members >= 0 || key.sender >= 0)
        return Matching::possible;
    if (key.kind != Kind::unknown)
        return Matching::several_groups;
    return sameOperations(traces, ranks) ? Matching::as_one_group : Matching::different_operations;
}

std::string noteOf(Matching matching)
{
    switch (matching) {
    case Matching::as_one_group:
        return "calls whose group is not known are matched as if all ranks were in one group";
    case Matching::several_groups:
        return "nothing tells which ranks are in a group together, so calls of a known kind are not matched "
               "across "
               "ranks: a scenario of the run does";
    case Matching::different_operations:
        return "calls whose group is not known differ from rank to rank and are not matched";
    case Matching::possible:
        break;
    }
    return {};
}

} // namespace

std::int64_t transferTime(const MatchedCall& one)
{
    const auto shortest =
        std::min_element(one.calls.begin(), one.calls.end(),
                         [](const Call* a, const Call* b) { return a->duration_ns < b->duration_ns; });
    return (*shortest)->duration_ns;
}

bool differs(const MatchedCall& matched)
{
    Op op = Op::other;
    std::int64_t bytes = -1;
    for (const Call* call : matched.calls) {
        if (!matched.is_point_to_point && call->op != Op::other) {
            if (op != Op::other && op != call->op)
                return true;
            op = call->op;
        }
        if (call->op == Op::all_to_all || call->message_bytes < 0) // each puts in what it has
            continue;
        if (bytes >= 0 && bytes != call->message_bytes)
            return true;
        bytes = call->message_bytes;
    }
    return false;
}

std::vector<MatchedCall> matchCalls(const TraceSet& traces, const CallList& list,
                                    std::vector<std::string>& notes)
{
    std::int64_t without_peer = 0;
    std::vector<MatchedCall> matched;
    std::set<Matching> met;
    for (const auto& [key, ranks] : callsByGroup(list, without_peer)) {
        if (ranks.size() < 2)
            continue;
        const Matching matching = matchingOf(traces, key, ranks);
        met.insert(matching);
        if (matching != Matching::possible && matching != Matching::as_one_group)
            continue;
        for (auto& [number, calls] : numbered(ranks))
            if (calls.size() == ranks.size())
                matched.push_back({calls, key.sender >= 0});
    }
    met.erase(Matching::possible);
    for (const Matching matching : met)
        notes.push_back(noteOf(matching));
    if (const auto different = std::ranges::count_if(matched, differs); different > 0)
        notes.push_back(
            "of the calls matched across ranks " + std::to_string(different)
            + " differ in operation or size: calls are missing in a trace, or several groups have "
              "one name; waiting, transfers and clocks are then not those of one call");
    if (without_peer > 0)
        notes.push_back(std::to_string(without_peer)
                        + " sends and receives do not name their peer and are not matched across ranks");
    return matched;
}

} // namespace shardscope

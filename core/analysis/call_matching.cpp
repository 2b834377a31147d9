#include "core/analysis/call_matching.h"

#include "core/analysis/collective_name.h"

#include <algorithm>
#include <limits>
#include <map>
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

GroupKey keyOf(const Call& call)
{
    GroupKey key;
    key.name = call.group;
    key.members = call.members;
    if (call.group.empty())
        key.kind = call.kind;
    else if (call.members < 0)
        key.ranks = call.group_ranks;
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

// Whether all ranks show the same operations in the same order, as far as the shortest goes.
bool sameOperations(const TraceSet& traces, const CallsOfRank& ranks)
{
    const auto opOf = [&](const Call* call) {
        return opFromName(traces.files[call->file].store->name(call->event));
    };
    const std::vector<const Call*>& first = ranks.begin()->second;
    return std::all_of(ranks.begin(), ranks.end(), [&](const auto& rank) {
        const std::size_t count = std::min(first.size(), rank.second.size());
        for (std::size_t i = 0; i < count; ++i)
            if (opOf(first[i]) != opOf(rank.second[i]))
                return false;
        return true;
    });
}

} // namespace

std::vector<MatchedCall> matchCalls(const TraceSet& traces, const CallList& list,
                                    std::vector<std::string>& notes)
{
    std::map<GroupKey, CallsOfRank> groups;
    std::int64_t without_peer = 0;
    for (const Call& call : list.calls) {
        if (!call.is_timed)
            continue;
        if (isPointToPoint(call) && call.peer < 0 && (call.members >= 0 || !call.group.empty()))
            ++without_peer;
        else
            groups[keyOf(call)][call.rank].push_back(&call);
    }
    if (without_peer > 0)
        notes.push_back(std::to_string(without_peer)
                        + " sends and receives do not name their peer and are not matched across ranks");
    std::vector<MatchedCall> matched;
    for (const auto& [key, ranks] : groups) {
        if (ranks.size() < 2)
            continue;
        const bool is_known = !key.name.empty() || key.members >= 0;
        if (!is_known && !sameOperations(traces, ranks)) {
            notes.push_back("calls whose group is not known differ from rank to rank and are not matched");
            continue;
        }
        for (auto& [number, calls] : numbered(ranks))
            if (calls.size() == ranks.size())
                matched.push_back({calls, key.sender >= 0});
    }
    return matched;
}

} // namespace shardscope

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
    if (!call.group.empty() || call.kind != Kind::unknown || isPointToPoint(call.op))
        key.members = call.members;
    if (isPointToPoint(call.op)) {
        key.sender = call.op == Op::send ? call.rank : call.peer;
        key.receiver = call.op == Op::send ? call.peer : call.rank;
    }
    return key;
}

std::vector<std::int64_t> sequenceNumbers(const std::vector<const Call*>& calls)
{
    std::vector<std::int64_t> numbers;
    for (const Call* call : calls)
        numbers.push_back(call->sequence);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// Whether equal sequence numbers are the same call. Collectives are numbered alike on all ranks of a group;
// sends and receives by each rank for itself, whatever the peer, so that a pair's numbers may differ.
bool areNumberedAlike(const CallsOfRank& ranks)
{
    const bool have_numbers = std::all_of(ranks.begin(), ranks.end(), [](const auto& rank) {
        return std::all_of(rank.second.begin(), rank.second.end(),
                           [](const Call* c) { return c->sequence >= 0; });
    });
    const std::vector<const Call*>& first = ranks.begin()->second;
    if (!have_numbers || !isPointToPoint(first.front()->op))
        return have_numbers;
    return std::all_of(ranks.begin(), ranks.end(), [&](const auto& rank) {
        return sequenceNumbers(rank.second) == sequenceNumbers(first);
    });
}

bool haveEquallyMany(const CallsOfRank& ranks)
{
    const std::size_t count = ranks.begin()->second.size();
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](const auto& rank) { return rank.second.size() == count; });
}

// Numbers each call within its rank: by sequence number where that tells, else 0, 1, 2, ...
std::map<std::pair<std::int64_t, int>, std::vector<const Call*>> numbered(const CallsOfRank& ranks,
                                                                          bool by_sequence)
{
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

// One call of each rank.
void addMatched(const CallsOfRank& ranks, bool is_point_to_point, std::vector<MatchedCall>& matched)
{
    const bool by_sequence = areNumberedAlike(ranks);
    const bool may_be_shifted = !by_sequence && !haveEquallyMany(ranks);
    for (auto& [number, calls] : numbered(ranks, by_sequence))
        if (calls.size() == ranks.size())
            matched.push_back({calls, is_point_to_point, may_be_shifted});
}

// More ranks than the group can have, as far as the trace tells its size.
bool isMoreThanOneGroup(const CallsOfRank& ranks)
{
    std::int64_t size = 0;
    for (const auto& [rank, calls] : ranks)
        for (const Call* call : calls)
            size = std::max(size, call->group_size);
    return size > 0 && static_cast<std::int64_t>(ranks.size()) > size;
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
        if (isPointToPoint(call.op) && call.peer < 0)
            ++without_peer;
        else
            groups[keyOf(call)][call.rank].push_back(&call);
    }
    return groups;
}

// Whether calls of this key can be matched, and if not, why.
enum class Matching : std::uint8_t {
    possible,
    as_one_group,
    several_groups,
    groups_of_one_name,
    different_operations
};

// That made any collective call.
std::set<std::int64_t> communicatingRanks(const CallList& list)
{
    std::set<std::int64_t> ranks;
    for (const Call& call : list.calls)
        if (call.is_timed && !isPointToPoint(call.op))
            ranks.insert(call.rank);
    return ranks;
}

Matching matchingOf(const TraceSet& traces, const GroupKey& key, const CallsOfRank& ranks,
                    std::size_t communicating_ranks)
{
    if (key.members < 0 && key.sender < 0 && isMoreThanOneGroup(ranks))
        return key.name.empty() ? Matching::several_groups : Matching::groups_of_one_name;
    if (!key.name.empty() || key.members >= 0 || key.sender >= 0)
        return Matching::possible;
    if (key.kind != Kind::unknown)
        return Matching::several_groups;
    if (ranks.size() != communicating_ranks) // on the others something told what these calls are
        return Matching::several_groups;
    return sameOperations(traces, ranks) ? Matching::as_one_group : Matching::different_operations;
}

std::string noteOf(Matching matching)
{
    switch (matching) {
    case Matching::as_one_group:
        return "calls whose group is not known are matched as if all ranks were in one group";
    case Matching::several_groups:
        return "nothing tells which ranks are in a group together, so calls are not matched across ranks: a "
               "scenario of the run does";
    case Matching::groups_of_one_name:
        return "more ranks have calls of a group than it has members: several groups have one name, and "
               "their calls are not matched across ranks";
    case Matching::different_operations:
        return "calls whose group is not known differ from rank to rank and are not matched";
    case Matching::possible:
        break;
    }
    return {};
}

// What makes calls that were matched seem to be several.
void noteDoubts(const std::vector<MatchedCall>& matched, std::vector<std::string>& notes)
{
    const std::string of = "of the calls matched across ranks ";
    const std::string harm = "; waiting, transfers and clocks are then not those of one call";
    if (const auto different = std::ranges::count_if(matched, differs); different > 0)
        notes.push_back(
            of + std::to_string(different)
            + " differ in operation or size: calls are missing in a trace, or several groups have "
              "one name"
            + harm);
    if (const auto shifted = std::ranges::count_if(matched, &MatchedCall::may_be_shifted); shifted > 0)
        notes.push_back(of + std::to_string(shifted)
                        + " belong to groups whose ranks recorded different numbers of calls, and nothing "
                          "numbers these: those behind a missing one are matched with another"
                        + harm);
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
    const std::size_t communicating_ranks = communicatingRanks(list).size();
    for (const auto& [key, ranks] : callsByGroup(list, without_peer)) {
        if (ranks.size() < 2)
            continue;
        const Matching matching = matchingOf(traces, key, ranks, communicating_ranks);
        met.insert(matching);
        if (matching != Matching::possible && matching != Matching::as_one_group)
            continue;
        addMatched(ranks, key.sender >= 0, matched);
    }
    met.erase(Matching::possible);
    for (const Matching matching : met)
        notes.push_back(noteOf(matching));
    noteDoubts(matched, notes);
    if (without_peer > 0)
        notes.push_back(std::to_string(without_peer)
                        + " sends and receives do not name their peer and are not matched across ranks");
    return matched;
}

} // namespace shardscope

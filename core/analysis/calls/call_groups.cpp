#include "core/analysis/calls/call_groups.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

namespace shardscope
{

namespace
{

using Members = std::vector<std::int64_t>;

Members everyone(std::int64_t world_size)
{
    Members ranks(static_cast<std::size_t>(world_size));
    std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
    return ranks;
}

// The members that the file knows for this call; empty where it knows none.
Members membersOf(const Call& call, const TraceFile& file)
{
    if (auto ranks = numbersFromText(call.group_ranks))
        return *std::move(ranks);
    for (const ProcessGroup& group : file.groups)
        if (!call.group.empty() && group.name == call.group && !group.ranks.empty())
            return group.ranks;
    // Only everyone makes a group as large as the world. A size beyond a million is damage, not a cluster.
    constexpr std::int64_t largest_world = 1'000'000;
    if (call.group_size > 0 && call.group_size == file.world_size && file.world_size <= largest_world)
        return everyone(file.world_size);
    return {};
}

// Whether the peer can be a place within the group, and whether it can be a rank of the world.
bool fitsAsPlace(const Call& call, const Members& members)
{
    return call.peer < static_cast<std::int64_t>(members.size())
           && members[static_cast<std::size_t>(call.peer)] != call.rank;
}

bool fitsAsRank(const Call& call, const Members& members)
{
    return call.peer != call.rank && std::find(members.begin(), members.end(), call.peer) != members.end();
}

enum class PeersAre : std::uint8_t { places, ranks };

// Formats without a timeline already give ranks of the world.
bool hasOpenPeer(const Call& call)
{
    return isPointToPoint(call.op) && call.is_timed && call.members >= 0;
}

const Members& membersOf(const Call& call, const CallList& list)
{
    return list.groups[static_cast<std::size_t>(call.members)];
}

// The reading that contradicts the groups less often.
PeersAre howPeersAreWritten(const CallList& list)
{
    std::int64_t not_places = 0;
    std::int64_t not_ranks = 0;
    for (const Call& call : list.calls)
        if (hasOpenPeer(call) && call.peer >= 0) {
            not_places += !fitsAsPlace(call, membersOf(call, list));
            not_ranks += !fitsAsRank(call, membersOf(call, list));
        }
    return not_ranks < not_places ? PeersAre::ranks : PeersAre::places;
}

std::int64_t peerOf(const Call& call, const Members& members, PeersAre peers_are)
{
    if (members.size() == 2)
        return members[0] == call.rank ? members[1] : members[0];
    if (call.peer < 0)
        return call.peer;
    if (peers_are == PeersAre::ranks)
        return fitsAsRank(call, members) ? call.peer : -1;
    return fitsAsPlace(call, members) ? members[static_cast<std::size_t>(call.peer)] : -1;
}

} // namespace

std::optional<std::vector<std::int64_t>> numbersFromText(std::string_view text)
{
    if (!text.starts_with('[') || !text.ends_with(']'))
        return std::nullopt;
    text = text.substr(1, text.size() - 2);
    Members ranks;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::size_t first = std::min(text.find_first_not_of(' '), end);
        std::int64_t rank = 0;
        const auto read = std::from_chars(text.data() + first, text.data() + end, rank);
        if (read.ec != std::errc{} || read.ptr != text.data() + end || rank < 0)
            return std::nullopt;
        ranks.push_back(rank);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (ranks.empty())
        return std::nullopt;
    return ranks;
}

void findGroupMembers(const TraceSet& traces, CallList& list)
{
    // Thousands of calls share a few groups, so each (file, name, text) is looked up once.
    std::map<std::tuple<std::size_t, std::string_view, std::string_view, std::int64_t>, int> known;
    for (Call& call : list.calls) {
        const auto [place, is_new] =
            known.try_emplace({call.file, call.group, call.group_ranks, call.group_size}, -1);
        if (is_new) {
            const Members members = membersOf(call, traces.files[call.file]);
            if (!members.empty())
                place->second = list.addGroup(members);
        }
        call.members = place->second;
        if (call.members >= 0 && call.group_size == 0)
            call.group_size =
                static_cast<std::int64_t>(list.groups[static_cast<std::size_t>(call.members)].size());
    }
}

void findPeers(const TraceSet& traces, CallList& list)
{
    const PeersAre peers_are = howPeersAreWritten(list);
    for (Call& call : list.calls) {
        if (!isPointToPoint(call.op))
            call.peer = -1;
        else if (hasOpenPeer(call))
            call.peer = peerOf(call, membersOf(call, list), peers_are);
        else if (call.is_timed && call.description != "default_pg")
            // In the default group place and rank are the same; in an unknown one nothing tells who it is.
            call.peer = -1;
    }
    // A rank beyond the world is damage.
    for (Call& call : list.calls)
        if (const std::int64_t world = traces.files[call.file].world_size; world > 0 && call.peer >= world)
            call.peer = -1;
}

} // namespace shardscope

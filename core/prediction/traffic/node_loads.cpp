#include "core/prediction/traffic/node_loads.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope
{

namespace
{

// Shares of what goes to and comes from other nodes, and of what stays inside.
LinkLoad partOf(const LinkLoad& load, double outside, double inside)
{
    return {load.sent_bytes * outside, load.received_bytes * outside, load.inside_bytes * inside,
            load.inside_received_bytes * inside};
}

// Members of a group that leave the node with its rings.
std::size_t leavingMembers(std::size_t members, double adapters)
{
    if (adapters <= 0.0)
        return members;
    return std::clamp(static_cast<std::size_t>(std::ceil(adapters)), std::size_t{1}, members);
}

std::int64_t cellsOf(std::span<const TrafficFamily> families)
{
    std::int64_t cells = 0;
    for (const TrafficFamily& family : families)
        cells += family.senders.size();
    return cells;
}

bool areManyFor(std::span<const TrafficFamily> families, std::int64_t ranks)
{
    return std::ssize(families) * ranks > cellsOf(families);
}

void addOwnKind(std::span<const TrafficFamily> families, std::int64_t last_rank, std::int64_t node,
                const std::vector<LinkLoad>& counted, NodeLoads& links)
{
    for (std::int64_t rank = links.firstRank(); rank < last_rank; ++rank) {
        links.addOwn(rank, counted.empty() ? linkLoad(families, rank, 1, node)
                                           : counted[static_cast<std::size_t>(rank)]);
        if (!links.hasPairs())
            continue;
        for (const TrafficFamily& family : families)
            if (const std::int64_t peer = rank + family.delta;
                peer >= links.firstRank() && peer < last_rank && family.senders.count(rank, rank + 1) > 0)
                links.addOwnPair(rank, peer, family.bytes);
    }
}

void addRingKind(const TrafficFamilies& families, Kind kind, std::int64_t last_rank, std::int64_t node,
                 double adapters, NodeLoads& links)
{
    std::vector<RingLoad> ranks;
    for (std::int64_t rank = links.firstRank(); rank < last_rank; ++rank)
        if (const std::int64_t first = families.layout().firstMember(kind, rank); first >= 0)
            ranks.push_back({first, rank, linkLoad(families.of(kind), rank, 1, node)});
    links.addRings(std::move(ranks), adapters);
}

} // namespace

NodeLoads::NodeLoads(std::int64_t first_rank, std::int64_t gpus, bool has_pairs)
    : m_first_rank{first_rank}, m_loads(static_cast<std::size_t>(gpus))
{
    if (has_pairs)
        m_pairs.resize(m_loads.size() * m_loads.size());
}

void NodeLoads::addOwn(std::int64_t rank, const LinkLoad& load)
{
    m_loads[place(rank)] += load;
}

void NodeLoads::addOwnPair(std::int64_t sender, std::int64_t receiver, double bytes)
{
    m_pairs[place(sender) * m_loads.size() + place(receiver)] += bytes;
}

void NodeLoads::addRings(std::vector<RingLoad> ranks, double adapters)
{
    std::ranges::stable_sort(ranks, {}, &RingLoad::group);
    for (auto group = ranks.begin(); group != ranks.end();) {
        const auto next = std::ranges::find_if(
            group, ranks.end(), [&](const RingLoad& other) { return other.group != group->group; });
        addGroup({group, next}, adapters);
        group = next;
    }
}

void NodeLoads::addGroup(std::span<const RingLoad> members, double adapters)
{
    LinkLoad all;
    for (const RingLoad& member : members)
        all += member.load;
    const std::size_t leaving = leavingMembers(members.size(), adapters);
    const auto count = static_cast<double>(members.size());
    const LinkLoad of_leaving = partOf(all, 1.0 / static_cast<double>(leaving), 1.0 / count);
    const LinkLoad of_others = partOf(all, 0.0, 1.0 / count);
    const bool stays = all.sent_bytes + all.received_bytes == 0.0;
    for (std::size_t i = 0; i < members.size(); ++i)
        addOwn(members[i].rank, stays ? members[i].load : i < leaving ? of_leaving : of_others);
    if (m_pairs.empty() || members.size() < 2)
        return;
    // Rings in every order: each link among the members has its part.
    const double of_pair = all.inside_bytes / (count * (count - 1.0));
    for (const RingLoad& sender : members)
        for (const RingLoad& receiver : members)
            if (sender.rank != receiver.rank)
                addOwnPair(sender.rank, receiver.rank, of_pair);
}

bool goesByOwnLinks(Kind kind)
{
    return kind == Kind::pp || kind == Kind::cp || kind == Kind::ep;
}

LoadsOfKinds loadsOfManyFamilies(const TrafficFamilies& families, std::int64_t ranks, std::int64_t node)
{
    LoadsOfKinds loads;
    for (const Kind kind : families.kinds())
        if (goesByOwnLinks(kind) && areManyFor(families.of(kind), ranks))
            loads[static_cast<std::size_t>(kind)] = linkLoads(families.of(kind), families.worldSize(), node);
    return loads;
}

std::int64_t loadsCost(const TrafficFamilies& families, std::int64_t ranks)
{
    std::int64_t cost = 0;
    for (const Kind kind : families.kinds()) {
        const std::span<const TrafficFamily> all = families.of(kind);
        cost += goesByOwnLinks(kind) && areManyFor(all, ranks) ? cellsOf(all) : std::ssize(all) * ranks;
    }
    return cost;
}

NodeLoads nodeLoads(const TrafficFamilies& families, std::int64_t first_rank, std::int64_t node,
                    bool has_pairs, const RingAdapters& adapters, const LoadsOfKinds& counted)
{
    const std::int64_t last_rank = std::min(families.worldSize(), first_rank + node);
    NodeLoads links{first_rank, last_rank - first_rank, has_pairs};
    for (const Kind kind : families.kinds()) {
        if (goesByOwnLinks(kind))
            addOwnKind(families.of(kind), last_rank, node, counted[static_cast<std::size_t>(kind)], links);
        else
            addRingKind(families, kind, last_rank, node, adapters[static_cast<std::size_t>(kind)], links);
    }
    return links;
}

} // namespace shardscope

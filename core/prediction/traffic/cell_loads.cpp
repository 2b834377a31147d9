#include "core/prediction/traffic/cell_loads.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace shardscope
{

namespace
{

// Which ranks belong together.
class RankGroups
{
public:
    explicit RankGroups(std::int64_t world) : m_parents(static_cast<std::size_t>(world))
    {
        std::iota(m_parents.begin(), m_parents.end(), std::int64_t{0});
    }

    std::int64_t of(std::int64_t rank)
    {
        while (parent(rank) != rank) {
            parent(rank) = parent(parent(rank));
            rank = parent(rank);
        }
        return rank;
    }
    void join(std::int64_t one, std::int64_t other)
    {
        const std::int64_t first = of(one);
        const std::int64_t second = of(other);
        parent(std::max(first, second)) = std::min(first, second);
    }

private:
    std::int64_t& parent(std::int64_t rank) { return m_parents[static_cast<std::size_t>(rank)]; }

    std::vector<std::int64_t> m_parents;
};

RankGroups groupsOf(const CellsOfKind& of_kind, std::int64_t world, const RankLayout* layout)
{
    RankGroups groups{world};
    for (const TrafficCell& cell : of_kind.cells)
        groups.join(cell.sender, cell.receiver);
    if (layout == nullptr || layout->worldSize() != world || of_kind.kind == Kind::unknown)
        return groups;
    for (std::int64_t rank = 0; rank < world; ++rank)
        if (const std::int64_t first = layout->firstMember(of_kind.kind, rank); first >= 0)
            groups.join(rank, first);
    return groups;
}

std::vector<LinkLoad> loadsOf(const CellsOfKind& of_kind, std::int64_t world, std::int64_t node)
{
    std::vector<LinkLoad> loads(static_cast<std::size_t>(world));
    for (const TrafficCell& cell : of_kind.cells) {
        LinkLoad& sender = loads[static_cast<std::size_t>(cell.sender)];
        LinkLoad& receiver = loads[static_cast<std::size_t>(cell.receiver)];
        const bool is_inside = cell.sender / node == cell.receiver / node;
        (is_inside ? sender.inside_bytes : sender.sent_bytes) += cell.bytes;
        (is_inside ? receiver.inside_received_bytes : receiver.received_bytes) += cell.bytes;
    }
    return loads;
}

void addOwnCells(const CellsOfKind& of_kind, const std::vector<LinkLoad>& loads, NodeLoads& links)
{
    const std::int64_t first = links.firstRank();
    const auto last = first + static_cast<std::int64_t>(links.loads().size());
    for (std::int64_t rank = first; rank < last; ++rank)
        links.addOwn(rank, loads[static_cast<std::size_t>(rank)]);
    if (!links.hasPairs())
        return;
    for (const TrafficCell& cell : of_kind.cells)
        if (cell.sender >= first && cell.sender < last && cell.receiver >= first && cell.receiver < last)
            links.addOwnPair(cell.sender, cell.receiver, cell.bytes);
}

void addSharedCells(const std::vector<LinkLoad>& loads, RankGroups& groups, double adapters, NodeLoads& links)
{
    const std::int64_t first = links.firstRank();
    const auto last = first + static_cast<std::int64_t>(links.loads().size());
    std::vector<RingLoad> ranks;
    for (std::int64_t rank = first; rank < last; ++rank)
        ranks.push_back({groups.of(rank), rank, loads[static_cast<std::size_t>(rank)]});
    links.addRings(std::move(ranks), adapters);
}

// Of a context group nobody knows whether parts went round or were gathered.
bool areOwn(Kind kind)
{
    return goesByOwnLinks(kind) && kind != Kind::cp;
}

} // namespace

std::vector<NodeLoads> nodeLoads(std::span<const CellsOfKind> kinds, std::int64_t world, std::int64_t node,
                                 bool has_pairs, const RingAdapters& adapters, const RankLayout* layout)
{
    std::vector<NodeLoads> nodes;
    for (std::int64_t first = 0; first < world; first += node)
        nodes.emplace_back(first, std::min(node, world - first), has_pairs);
    for (const CellsOfKind& of_kind : kinds) {
        const std::vector<LinkLoad> loads = loadsOf(of_kind, world, node);
        if (areOwn(of_kind.kind)) {
            for (NodeLoads& links : nodes)
                addOwnCells(of_kind, loads, links);
            continue;
        }
        RankGroups groups = groupsOf(of_kind, world, layout);
        for (NodeLoads& links : nodes)
            addSharedCells(loads, groups, adapters[static_cast<std::size_t>(of_kind.kind)], links);
    }
    return nodes;
}

} // namespace shardscope

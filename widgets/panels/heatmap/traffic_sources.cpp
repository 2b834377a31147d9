#include "widgets/panels/heatmap/traffic_sources.h"

#include "core/prediction/traffic/link_totals.h"
#include "core/prediction/traffic/traffic_tiles.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace shardscope
{

namespace
{

// Relative to the larger of two sums; what differs by less differs by rounding.
constexpr double rounding = 1e-9;

double difference(double first, double second)
{
    const double exact = first - second;
    return std::fabs(exact) <= rounding * std::max(first, second) ? 0.0 : exact;
}

// A row with one entry for each receiver and kind.
void appendSums(const TrafficRows& rows, std::int64_t sender, std::vector<TrafficEntry>& entries)
{
    if (sender < rows.ranks())
        rows.appendRow(sender, entries);
    addUpReceivers(entries);
}

} // namespace

void FamilyTraffic::appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const
{
    for (const Kind kind : m_families.kinds())
        for (const TrafficFamily& family : m_families.of(kind))
            if (family.senders.count(sender, sender + 1) > 0)
                entries.push_back({sender + family.delta, kind, family.bytes});
}

void PredictedTraffic::appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const
{
    thread_local std::vector<TrafficCell> cells;
    for (const Kind kind : m_matrix.kinds()) {
        cells.clear();
        m_matrix.appendRow(kind, sender, cells);
        for (const TrafficCell& cell : cells)
            entries.push_back({cell.receiver, kind, cell.bytes});
    }
}

void FamilyTraffic::fill(TrafficGrid& grid, std::optional<Kind> kind) const
{
    const TileGrid place{grid.first_row, grid.first_column, grid.span, grid.bins};
    std::vector<TileShare> shares;
    const auto add = [&](std::optional<Kind> one, unsigned char mark) {
        for (const TrafficFamily& family : m_families.of(one)) {
            shares.clear();
            appendTiles(family, place, shares);
            const double bytes = mark == TrafficGrid::shown ? family.bytes : 0.0;
            for (const TileShare& share : shares)
                grid.add(share.row, share.column, bytes, mark);
        }
    };
    add(kind, TrafficGrid::shown);
    for (const Kind other : m_families.kinds())
        if (kind && other != *kind)
            add(other, TrafficGrid::other);
}

TrafficSummary FamilyTraffic::summary(std::int64_t gpus_per_node) const
{
    TrafficSummary summary;
    const auto splits = nodeSplits(m_families, gpus_per_node);
    for (const Kind kind : m_families.kinds()) {
        const auto index = static_cast<std::size_t>(kind);
        summary.kinds[index] = {splits[index].intra_node_bytes, splits[index].inter_node_bytes};
        for (const TrafficFamily& family : m_families.of(kind))
            summary.widen(index, family.bytes);
    }
    for (const TrafficFamily& family : m_families.of(std::nullopt))
        summary.widen(kind_count, family.bytes);
    return summary;
}

// A bin or a node of a family takes about a sixth of a row's time.
std::int64_t FamilyTraffic::fillCost(std::int64_t span, int bins) const
{
    const auto families = static_cast<std::int64_t>(m_families.of(std::nullopt).size());
    return 2 * std::min<std::int64_t>(span, bins) * families / 6;
}

std::int64_t FamilyTraffic::summaryCost() const
{
    return 2 * static_cast<std::int64_t>(m_families.of(std::nullopt).size());
}

TrafficEnds FamilyTraffic::endsOf(std::int64_t rank) const
{
    const LinkLoad load = linkLoad(m_families, rank, 1, 1);
    return {load.sent_bytes, load.received_bytes};
}

std::shared_ptr<const TrafficRows> FamilyTraffic::byNode(std::int64_t gpus_per_node, NodeShare share) const
{
    TrafficFamilies of_nodes{m_families, gpus_per_node};
    return std::make_shared<FamilyTraffic>(share == NodeShare::between ? of_nodes.withoutDiagonal()
                                                                       : std::move(of_nodes));
}

std::int64_t FamilyTraffic::byNodeCost(std::int64_t gpus_per_node) const
{
    return m_families.nodesCost(gpus_per_node) / 6;
}

MeasuredTraffic::MeasuredTraffic(std::vector<MeasuredCell> cells, std::int64_t ranks,
                                 std::set<std::int64_t> recorded)
    : m_cells{std::move(cells)}, m_ranks{ranks}, m_recorded{std::move(recorded)}
{
    std::ranges::sort(m_cells, {}, &MeasuredCell::sender);
    for (const MeasuredCell& cell : m_cells)
        m_ranks = std::max({m_ranks, cell.sender + 1, cell.receiver + 1});
}

void MeasuredTraffic::appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const
{
    for (const MeasuredCell& cell : std::ranges::equal_range(m_cells, sender, {}, &MeasuredCell::sender))
        entries.push_back({cell.receiver, cell.kind, cell.bytes});
}

std::int64_t MeasuredTraffic::knownSenders() const
{
    return std::ranges::count_if(m_recorded,
                                 [this](std::int64_t rank) { return rank >= 0 && rank < m_ranks; });
}

TrafficDifference::TrafficDifference(std::shared_ptr<const TrafficRows> first,
                                     std::shared_ptr<const TrafficRows> second)
    : m_first{std::move(first)}, m_second{std::move(second)}
{
    for (std::int64_t sender = 0; sender < ranks(); ++sender)
        m_known_senders += knows(sender) ? 1 : 0;
}

std::int64_t TrafficDifference::ranks() const
{
    return std::max(m_first->ranks(), m_second->ranks());
}

void TrafficDifference::appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const
{
    if (!knows(sender))
        return;
    std::vector<TrafficEntry> more;
    std::vector<TrafficEntry> less;
    appendSums(*m_first, sender, more);
    appendSums(*m_second, sender, less);
    auto other = less.begin();
    const auto key = [](const TrafficEntry& entry) { return std::tuple{entry.receiver, entry.kind}; };
    for (const TrafficEntry& entry : more) {
        for (; other != less.end() && key(*other) < key(entry); ++other)
            entries.push_back({other->receiver, other->kind, -other->bytes});
        const bool is_in_both = other != less.end() && key(*other) == key(entry);
        entries.push_back(
            {entry.receiver, entry.kind, difference(entry.bytes, is_in_both ? other->bytes : 0.0)});
        if (is_in_both)
            ++other;
    }
    for (; other != less.end(); ++other)
        entries.push_back({other->receiver, other->kind, -other->bytes});
}

TrafficEnds TrafficDifference::endsOf(std::int64_t rank) const
{
    const auto endsIn = [rank](const TrafficRows& rows) {
        return rank < rows.ranks() ? rows.endsOf(rank) : TrafficEnds{};
    };
    const TrafficEnds first = endsIn(*m_first);
    const TrafficEnds second = endsIn(*m_second);
    return {difference(first.sent_bytes, second.sent_bytes),
            difference(first.received_bytes, second.received_bytes)};
}

std::shared_ptr<const TrafficRows> TrafficDifference::byNode(std::int64_t gpus_per_node,
                                                             NodeShare share) const
{
    return std::make_shared<TrafficDifference>(m_first->byNode(gpus_per_node, share),
                                               m_second->byNode(gpus_per_node, share));
}

std::int64_t TrafficDifference::byNodeCost(std::int64_t gpus_per_node) const
{
    const std::int64_t rows = ranks() / std::max<std::int64_t>(1, gpus_per_node);
    return m_first->byNodeCost(gpus_per_node) + m_second->byNodeCost(gpus_per_node) + rows;
}

} // namespace shardscope

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

// Appends a row with one entry for each receiver and kind.
void appendSums(const TrafficRows& rows, std::int64_t sender, std::vector<TrafficEntry>& entries)
{
    std::vector<TrafficEntry> all;
    if (sender < rows.ranks())
        rows.appendRow(sender, all);
    const auto key = [](const TrafficEntry& entry) { return std::tuple{entry.receiver, entry.kind}; };
    std::ranges::sort(all, {}, key);
    for (const TrafficEntry& entry : all) {
        if (!entries.empty() && key(entries.back()) == key(entry))
            entries.back().bytes += entry.bytes;
        else
            entries.push_back(entry);
    }
}

} // namespace

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

void PredictedTraffic::fill(TrafficGrid& grid, std::optional<Kind> kind) const
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

TrafficSummary PredictedTraffic::summary(std::int64_t gpus_per_node) const
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

// A bin of a family takes about a sixth of a row's time.
std::int64_t PredictedTraffic::fillCost(std::int64_t span, int bins) const
{
    const auto families = static_cast<std::int64_t>(m_families.of(std::nullopt).size());
    return 2 * std::min<std::int64_t>(span, bins) * families / 6;
}

std::int64_t PredictedTraffic::summaryCost() const
{
    return 2 * static_cast<std::int64_t>(m_families.of(std::nullopt).size());
}

MeasuredTraffic::MeasuredTraffic(std::vector<MeasuredCell> cells, std::int64_t ranks)
    : m_cells{std::move(cells)}, m_ranks{ranks}
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

TrafficDifference::TrafficDifference(std::shared_ptr<const TrafficRows> first,
                                     std::shared_ptr<const TrafficRows> second)
    : m_first{std::move(first)}, m_second{std::move(second)}
{
}

std::int64_t TrafficDifference::ranks() const
{
    return std::max(m_first->ranks(), m_second->ranks());
}

void TrafficDifference::appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const
{
    std::vector<TrafficEntry> more;
    std::vector<TrafficEntry> less;
    appendSums(*m_first, sender, more);
    appendSums(*m_second, sender, less);
    auto other = less.begin();
    const auto key = [](const TrafficEntry& entry) { return std::tuple{entry.receiver, entry.kind}; };
    for (const TrafficEntry& entry : more) {
        for (; other != less.end() && key(*other) < key(entry); ++other)
            entries.push_back({other->receiver, other->kind, -other->bytes});
        double difference = entry.bytes;
        if (other != less.end() && key(*other) == key(entry)) {
            difference -= other->bytes;
            if (std::fabs(difference) <= rounding * std::max(entry.bytes, other->bytes))
                difference = 0.0;
            ++other;
        }
        entries.push_back({entry.receiver, entry.kind, difference});
    }
    for (; other != less.end(); ++other)
        entries.push_back({other->receiver, other->kind, -other->bytes});
}

std::int64_t trafficCost(const Scenario& scenario)
{
    const std::int64_t experts = scenario.parallel.expert;
    if (experts < 2)
        return 0;
    if (!RankLayout{scenario.parallel}.expertGroupsAreWhole())
        return scenario.worldSize() * experts;
    constexpr std::int64_t cells_of_an_uneven_pair = 64; // boxes are made, sorted and merged
    return experts * experts * (scenario.model.experts.skew > 0.0 ? cells_of_an_uneven_pair : 1);
}

} // namespace shardscope

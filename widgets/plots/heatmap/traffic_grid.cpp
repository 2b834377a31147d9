#include "widgets/plots/heatmap/traffic_grid.h"

#include "widgets/plots/heatmap/node_traffic.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace shardscope
{

namespace
{

void sortByReceiver(std::vector<TrafficEntry>& entries)
{
    std::sort(entries.begin(), entries.end(),
              [](const TrafficEntry& a, const TrafficEntry& b) { return a.receiver < b.receiver; });
}

struct Cell {
    std::int64_t receiver = 0;
    double bytes = 0.0; // of the kind asked for
    unsigned char presence = 0;
};

// Calls visit(Cell) for each receiver of a sorted row.
template<class Visitor>
void forEachCell(const std::vector<TrafficEntry>& entries, std::optional<Kind> kind, Visitor visit)
{
    for (std::size_t i = 0; i < entries.size();) {
        Cell cell{entries[i].receiver, 0.0, 0};
        for (; i < entries.size() && entries[i].receiver == cell.receiver; ++i) {
            const bool shown = !kind || entries[i].kind == *kind;
            if (shown)
                cell.bytes += entries[i].bytes;
            cell.presence |= shown ? TrafficGrid::shown : TrafficGrid::other;
        }
        visit(cell);
    }
}

} // namespace

void addUpReceivers(std::vector<TrafficEntry>& row)
{
    const auto key = [](const TrafficEntry& entry) { return std::tuple{entry.receiver, entry.kind}; };
    std::ranges::sort(row, {}, key);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < row.size(); ++i) {
        if (key(row[kept]) == key(row[i]))
            row[kept].bytes += row[i].bytes;
        else
            row[++kept] = row[i];
    }
    row.resize(row.empty() ? 0 : kept + 1);
}

void TrafficGrid::add(std::int64_t row, std::int64_t column, double cell_bytes, unsigned char mark)
{
    const auto bin = static_cast<std::size_t>(row * bins + column);
    const auto size = static_cast<float>(cell_bytes);
    if (std::fabs(size) > std::fabs(bytes[bin]))
        bytes[bin] = size;
    presence[bin] |= mark;
}

void TrafficSummary::widen(std::size_t kind_or_all, double bytes)
{
    const double size = std::fabs(bytes);
    if (size == 0.0)
        return;
    least[kind_or_all] = least[kind_or_all] == 0.0 ? size : std::min(least[kind_or_all], size);
    most[kind_or_all] = std::max(most[kind_or_all], size);
}

double TrafficSummary::intraNode(std::optional<Kind> kind) const
{
    if (kind)
        return kinds[static_cast<std::size_t>(*kind)].intra_node_bytes;
    double sum = 0.0;
    for (const ByKind& one : kinds)
        sum += one.intra_node_bytes;
    return sum;
}

double TrafficSummary::interNode(std::optional<Kind> kind) const
{
    if (kind)
        return kinds[static_cast<std::size_t>(*kind)].inter_node_bytes;
    double sum = 0.0;
    for (const ByKind& one : kinds)
        sum += one.inter_node_bytes;
    return sum;
}

TrafficGrid poolTraffic(const TrafficRows& rows, const RankWindow& window, int most_bins,
                        std::optional<Kind> kind)
{
    TrafficGrid grid;
    const std::int64_t ranks = rows.ranks();
    const auto first = [ranks](double edge) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(edge), 0, ranks);
    };
    grid.first_row = first(std::floor(window.first_row));
    grid.first_column = first(std::floor(window.first_column));
    grid.span = std::min(ranks, static_cast<std::int64_t>(std::ceil(window.span)) + 1);
    grid.bins = static_cast<int>(std::min<std::int64_t>(std::max(1, most_bins), grid.span));
    const auto side = static_cast<std::size_t>(grid.bins);
    grid.bytes.assign(side * side, 0.0F);
    grid.presence.assign(side * side, 0);

    rows.fill(grid, kind);
    return grid;
}

std::int64_t TrafficRows::fillCost(std::int64_t span, int) const
{
    return span;
}

void TrafficRows::fill(TrafficGrid& grid, std::optional<Kind> kind) const
{
    const std::int64_t last_row = std::min(ranks(), grid.first_row + grid.span);
    const std::int64_t last_column = std::min(ranks(), grid.first_column + grid.span);
    const auto binOf = [&grid](std::int64_t offset) { return offset * grid.bins / grid.span; };
    std::vector<TrafficEntry> entries;
    for (std::int64_t sender = grid.first_row; sender < last_row; ++sender) {
        entries.clear();
        appendRow(sender, entries);
        sortByReceiver(entries);
        forEachCell(entries, kind, [&](const Cell& cell) {
            if (cell.receiver >= grid.first_column && cell.receiver < last_column)
                grid.add(binOf(sender - grid.first_row), binOf(cell.receiver - grid.first_column), cell.bytes,
                         cell.presence);
        });
    }
}

TrafficSummary TrafficRows::summary(std::int64_t gpus_per_node) const
{
    TrafficSummary summary;
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    std::vector<TrafficEntry> entries;
    for (std::int64_t sender = 0; sender < ranks(); ++sender) {
        entries.clear();
        appendRow(sender, entries);
        for (const TrafficEntry& entry : entries) {
            const auto kind = static_cast<std::size_t>(entry.kind);
            const bool inside = sender / node == entry.receiver / node;
            (inside ? summary.kinds[kind].intra_node_bytes : summary.kinds[kind].inter_node_bytes) +=
                entry.bytes;
            summary.widen(kind, entry.bytes);
        }
        sortByReceiver(entries);
        forEachCell(entries, std::nullopt, [&](const Cell& cell) { summary.widen(kind_count, cell.bytes); });
    }
    return summary;
}

TrafficEnds TrafficRows::endsOf(std::int64_t rank) const
{
    TrafficEnds ends;
    std::vector<TrafficEntry> entries;
    for (std::int64_t sender = 0; sender < ranks(); ++sender) {
        entries.clear();
        appendRow(sender, entries);
        for (const TrafficEntry& entry : entries) {
            if (entry.receiver == sender)
                continue;
            if (sender == rank)
                ends.sent_bytes += entry.bytes;
            else if (entry.receiver == rank)
                ends.received_bytes += entry.bytes;
        }
    }
    return ends;
}

std::shared_ptr<const TrafficRows> TrafficRows::byNode(std::int64_t gpus_per_node, NodeShare share) const
{
    return std::make_shared<NodeTraffic>(*this, gpus_per_node, share);
}

std::array<double, kind_count> bytesBetween(const TrafficRows& rows, std::int64_t sender,
                                            std::int64_t receiver)
{
    std::array<double, kind_count> result{};
    std::vector<TrafficEntry> entries;
    if (sender >= 0 && sender < rows.ranks())
        rows.appendRow(sender, entries);
    for (const TrafficEntry& entry : entries)
        if (entry.receiver == receiver)
            result[static_cast<std::size_t>(entry.kind)] += entry.bytes;
    return result;
}

HotCell hottest(const TrafficRows& rows, std::int64_t row, std::int64_t column, std::int64_t count,
                std::optional<Kind> kind)
{
    HotCell hot{row, column, 0.0};
    std::vector<TrafficEntry> entries;
    for (std::int64_t sender = row; sender < std::min(row + count, rows.ranks()); ++sender) {
        entries.clear();
        rows.appendRow(sender, entries);
        sortByReceiver(entries);
        forEachCell(entries, kind, [&](const Cell& cell) {
            if (cell.receiver >= column && cell.receiver < column + count
                && std::fabs(cell.bytes) > std::fabs(hot.bytes))
                hot = {sender, cell.receiver, cell.bytes};
        });
    }
    return hot;
}

} // namespace shardscope

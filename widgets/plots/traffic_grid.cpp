#include "widgets/plots/traffic_grid.h"

#include <algorithm>
#include <cmath>

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

void widen(double& least, double& most, double bytes)
{
    const double size = std::fabs(bytes);
    if (size == 0.0)
        return;
    least = least == 0.0 ? size : std::min(least, size);
    most = std::max(most, size);
}

} // namespace

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

    const std::int64_t last_row = std::min(ranks, grid.first_row + grid.span);
    const std::int64_t last_column = std::min(ranks, grid.first_column + grid.span);
    const auto binOf = [&grid](std::int64_t offset) {
        return static_cast<std::size_t>(offset * grid.bins / grid.span);
    };
    std::vector<TrafficEntry> entries;
    for (std::int64_t sender = grid.first_row; sender < last_row; ++sender) {
        entries.clear();
        rows.appendRow(sender, entries);
        sortByReceiver(entries);
        const std::size_t row = binOf(sender - grid.first_row) * side;
        forEachCell(entries, kind, [&](const Cell& cell) {
            if (cell.receiver < grid.first_column || cell.receiver >= last_column)
                return;
            const std::size_t bin = row + binOf(cell.receiver - grid.first_column);
            const auto bytes = static_cast<float>(cell.bytes);
            if (std::fabs(bytes) > std::fabs(grid.bytes[bin]))
                grid.bytes[bin] = bytes;
            grid.presence[bin] |= cell.presence;
        });
    }
    return grid;
}

TrafficSummary summarize(const TrafficRows& rows, std::int64_t gpus_per_node)
{
    TrafficSummary summary;
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    std::vector<TrafficEntry> entries;
    for (std::int64_t sender = 0; sender < rows.ranks(); ++sender) {
        entries.clear();
        rows.appendRow(sender, entries);
        for (const TrafficEntry& entry : entries) {
            const auto kind = static_cast<std::size_t>(entry.kind);
            const bool inside = sender / node == entry.receiver / node;
            (inside ? summary.kinds[kind].intra_node_bytes : summary.kinds[kind].inter_node_bytes) +=
                entry.bytes;
            widen(summary.least[kind], summary.most[kind], entry.bytes);
        }
        sortByReceiver(entries);
        forEachCell(entries, std::nullopt,
                    [&](const Cell& cell) { widen(summary.least.back(), summary.most.back(), cell.bytes); });
    }
    return summary;
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

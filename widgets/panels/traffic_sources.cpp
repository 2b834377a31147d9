#include "widgets/panels/traffic_sources.h"

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

} // namespace shardscope

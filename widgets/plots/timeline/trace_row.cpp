#include "widgets/plots/timeline/trace_row.h"

#include <algorithm>

namespace shardscope
{

std::vector<TraceRow> TraceRow::rowsOf(const TraceStore& store, const EventPaints& paints, const Track& track)
{
    std::vector<TraceRow> rows;
    rows.reserve(track.depths);
    for (int depth = 0; depth < track.depths; ++depth)
        rows.push_back(TraceRow{store, paints});
    const auto first = static_cast<std::uint32_t>(track.first);
    for (std::uint32_t row = first; row < first + track.count && rows.size() > 1; ++row)
        rows[store.depth(EventIndex{row})].m_events.push_back(row);
    for (TraceRow& row : rows) {
        row.m_first = first;
        row.m_count = rows.size() > 1 ? row.m_events.size() : track.count;
    }
    for (TraceRow& row : rows) {
        if (row.m_count >= RowBins::fewest_events)
            row.m_bins = RowBins{row.events()};
        row.m_sums = RowSums{row.events()};
    }
    return rows;
}

std::optional<std::uint32_t> TraceRow::indexOf(EventIndex event) const
{
    const auto row = static_cast<std::uint32_t>(event);
    if (m_events.empty())
        return row >= m_first && row - m_first < m_count ? std::optional{row - m_first} : std::nullopt;
    const auto found = std::ranges::lower_bound(m_events, row);
    if (found == m_events.end() || *found != row)
        return std::nullopt;
    return static_cast<std::uint32_t>(found - m_events.begin());
}

std::pair<std::size_t, std::size_t> TraceRow::visible(const TimeRange& range) const
{
    return events().between(range.start_ns, range.end_ns());
}

void TraceRow::draw(const TimeRange& range, int width, LanePicture& picture) const
{
    PictureWriter writer{range, width, picture};
    if (m_bins.isEmpty())
        drawEvents(events(), 0, m_count, range, writer);
    else
        m_bins.draw(events(), range, writer);
    writer.finish();
}

std::uint32_t TraceRow::spanAt(const TimeRange& range, int width, int column) const
{
    const TraceTime from = timeOfColumn(column, range, width);
    const TraceTime to = std::max(timeOfColumn(column + 1, range, width), from + 1);
    const auto [first, last] = visible({from, to - from});
    std::uint32_t found = no_span;
    TraceTime most = -1;
    for (std::size_t i = first; i < last; ++i) {
        const TraceTime inside = std::min(end(i), to) - std::max(start(i), from);
        if (inside > most) {
            most = inside;
            found = static_cast<std::uint32_t>(i);
        }
    }
    return found;
}

void TraceRow::addDurations(const TimeRange& range, PaintDurations& durations) const
{
    forEachSum(range, false, [&](const EventSum& sum) {
        if (sum.counts)
            durations[static_cast<std::size_t>(sum.paint)] += sum.sum_ns;
    });
}

} // namespace shardscope

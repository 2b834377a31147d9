#pragma once

#include "core/trace/trace_store.h"
#include "widgets/plots/timeline/row_bins.h"
#include "widgets/plots/timeline/row_sums.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// One row of a track: its events of one depth, which do not overlap, ready to be drawn at any zoom at the
// cost of the pixels.
class TraceRow
{
public:
    // The rows of a track, one for each depth. Store and paints must outlive them.
    static std::vector<TraceRow> rowsOf(const TraceStore& store, const EventPaints& paints,
                                        const Track& track);

    std::size_t size() const { return m_count; }
    EventIndex event(std::size_t i) const { return EventIndex{eventRow(i)}; }
    // Which of them an event of the store is; nothing when it stands in another row.
    std::optional<std::uint32_t> indexOf(EventIndex event) const;

    void draw(const TimeRange& range, int width, LanePicture& picture) const;
    std::uint32_t spanAt(const TimeRange& range, int width, int column) const;
    // Adds what lies in the range, cut at its edges, of the events that count.
    void addDurations(const TimeRange& range, PaintDurations& durations) const;
    // Calls visit(EventSum) until all that lies in the range is told, cut at its edges. Whether each sum is
    // of one name is as asked for.
    template<class Visitor>
    void forEachSum(const TimeRange& range, bool by_name, Visitor visit) const;
    // Those [first, last) that are, wholly or in part, in the range.
    std::pair<std::size_t, std::size_t> visible(const TimeRange& range) const;
    // What drawing and summing it up fast needs beside the events.
    std::size_t bytes() const { return m_bins.bytes() + m_sums.bytes(); }

private:
    TraceRow(const TraceStore& store, const EventPaints& paints) : m_store{&store}, m_paints{&paints} {}
    RowEvents events() const { return {*m_store, *m_paints, m_events, m_first, m_count}; }
    std::uint32_t eventRow(std::size_t i) const
    {
        return m_events.empty() ? m_first + static_cast<std::uint32_t>(i) : m_events[i];
    }
    TraceTime start(std::size_t i) const { return m_store->start(event(i)); }
    TraceTime end(std::size_t i) const { return m_store->end(event(i)); }
    EventSum sumOf(std::size_t i, const TimeRange& range) const
    {
        const TraceTime inside = std::min(end(i), range.end_ns()) - std::max(start(i), range.start_ns);
        const std::uint32_t row = eventRow(i);
        return {
            m_store->nameIds()[row], m_paints->paint(row), m_paints->counts(row), 1, inside, inside, inside};
    }

    const TraceStore* m_store;
    const EventPaints* m_paints;
    std::uint32_t m_first = 0;
    std::size_t m_count = 0;
    std::vector<std::uint32_t> m_events; // rows of the store; empty: m_first and what follows
    RowBins m_bins;
    RowSums m_sums;
};

template<class Visitor>
void TraceRow::forEachSum(const TimeRange& range, bool by_name, Visitor visit) const
{
    const auto [first, last] = visible(range);
    if (first == last)
        return;
    const std::size_t first_whole = first + (start(first) < range.start_ns ? 1 : 0);
    const std::size_t last_whole = last - (end(last - 1) > range.end_ns() ? 1 : 0);
    for (std::size_t i = first; i < last;) {
        const std::size_t block = i / RowSums::in_block;
        const bool is_whole =
            i >= first_whole && i % RowSums::in_block == 0 && i + RowSums::in_block <= last_whole;
        if (is_whole && m_sums.has(block, by_name)) {
            for (const EventSum& sum : m_sums.of(block))
                visit(sum);
            i += RowSums::in_block;
        } else {
            visit(sumOf(i++, range));
        }
    }
}

} // namespace shardscope

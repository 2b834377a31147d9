#pragma once

#include "core/trace/trace_store.h"
#include "widgets/plots/lane_bars.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace shardscope
{

// What each event of a store is drawn as, and whether it counts in sums: an event inside another of the same
// paint on its track does not, nor one of compute inside compute.
class EventPaints
{
public:
    EventPaints() = default;
    EventPaints(const TraceStore& store, const std::function<LanePaint(EventIndex)>& paint_of);

    LanePaint paint(std::size_t event) const { return static_cast<LanePaint>(m_marks[event] & paint_mask); }
    bool counts(std::size_t event) const { return (m_marks[event] & nested_mark) == 0; }

private:
    static constexpr std::uint8_t nested_mark = 0x80;
    static constexpr std::uint8_t paint_mask = 0x7f;
    std::vector<std::uint8_t> m_marks;
};

using PaintDurations = std::array<TraceTime, lane_paint_count>;

// One row of a track: its events of one depth, which do not overlap, ready to be drawn at any zoom at the
// cost of the pixels. Zoomed out it reads cached bins, zoomed in it skips over blocks of events that share a
// pixel.
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

    void appendBars(const TimeRange& range, int width, std::vector<LaneBar>& bars) const;
    std::uint32_t spanAt(const TimeRange& range, int width, int column) const;
    // Adds what lies in the range, cut at its edges, of the events that count.
    void addDurations(const TimeRange& range, PaintDurations& durations) const;
    // Rows [first, last) that are, wholly or in part, in the range.
    std::pair<std::size_t, std::size_t> visible(const TimeRange& range) const;

private:
    struct Block {
        TraceTime busy_ns = 0;
        LanePaint paint = LanePaint::other; // of most of it
    };
    struct Bin {
        LanePaint paint = LanePaint::other;
        std::uint8_t fill = 0; // of 255
    };

    TraceRow(const TraceStore& store, const EventPaints& paints) : m_store{&store}, m_paints{&paints} {}
    void index();
    void buildBlocks();
    void buildBins();
    std::uint32_t eventRow(std::size_t i) const
    {
        return m_events.empty() ? m_first + static_cast<std::uint32_t>(i) : m_events[i];
    }
    TraceTime start(std::size_t i) const { return m_store->start(event(i)); }
    TraceTime end(std::size_t i) const { return m_store->end(event(i)); }
    void walk(std::size_t first, std::size_t last, BarWriter& writer) const;
    template<class RowOf>
    void walkRows(std::size_t first, std::size_t last, BarWriter& writer, const RowOf& row_of) const;
    std::size_t skip(std::size_t i, std::size_t last, TraceTime column_end) const;
    void drawBins(const TimeRange& range, int width, std::vector<LaneBar>& bars) const;
    void drawLong(const TimeRange& range, int width, std::vector<LaneBar>& bars) const;

    const TraceStore* m_store;
    const EventPaints* m_paints;
    std::uint32_t m_first = 0;
    std::size_t m_count = 0;
    std::vector<std::uint32_t> m_events;      // rows of the store; empty: m_first and what follows
    std::vector<std::vector<Block>> m_blocks; // of 16, 256, 4096 events
    TimeRange m_bin_range;
    std::vector<std::vector<Bin>> m_bins; // finest first, each level a quarter of the one before
    std::vector<std::uint32_t> m_long;    // events that are wider than a few bins
};

} // namespace shardscope

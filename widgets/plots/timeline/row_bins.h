#pragma once

#include "core/trace/column.h"
#include "widgets/plots/timeline/lane_bars.h"
#include "widgets/plots/timeline/row_events.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// How busy a row is and what with, at every zoom, so that drawing it costs the pixels and not the events.
// Stretches of up to 4,096 events that stand close together have bins of one width, one for each two events,
// and coarser ones over them, each of two finer ones, up to one of all. So bins are fine where events are
// dense, and pauses have none. A bin knows the share of each paint that the row has. A column is drawn from
// bins that are as wide as it or up to half as wide; where even the finest are wider it has few events, and
// they are looked at one by one. A byte an event for each paint of the row, and at most 2 for long ones.
class RowBins
{
public:
    static constexpr std::size_t fewest_events = 512; // of a row that is worth it

    RowBins() = default; // of a row with fewer
    explicit RowBins(const RowEvents& events);

    bool isEmpty() const { return m_stretches.empty(); }
    // The same events as it was made of.
    void draw(const RowEvents& events, const TimeRange& range, PictureWriter& writer) const;
    std::size_t bytes() const;

private:
    struct Stretch {
        TraceTime start_ns = 0;
        TraceTime length_ns = 0; // at least 1
        std::uint32_t first = 0; // event
        std::uint32_t count = 0;
        std::size_t fine_bins = 0;  // where its fine levels begin, one after the other
        std::size_t first_long = 0; // of m_long
        std::uint32_t long_count = 0;
        int levels = 0; // two to this power are the finest bins
        TraceTime end_ns() const { return start_ns + length_ns; }
    };
    // An event of at least four finest bins, which can be a bar. It stands here again because in the store
    // such events are far apart, and memory is slow.
    struct LongEvent {
        std::uint16_t place = 0;  // in the stretch
        std::uint16_t start = 0;  // in eighths of bins
        std::uint16_t length = 0; // in eighths of bins
        LanePaint paint = LanePaint::other;
        // How often its length in bins can be halved.
        int halvings() const { return std::bit_width(static_cast<unsigned>(length)) - 4; }
    };

    struct HalfColumns; // which bins they show

    static std::vector<Stretch> stretchesOf(const RowEvents& events);
    static int levelsOf(std::uint32_t events);
    std::size_t placeOfBins(std::size_t stretch, int level) const;
    void fillBins(const RowEvents& events, std::size_t stretch);
    void listLong(const RowEvents& events, Stretch& stretch);
    const std::uint8_t* binsOf(std::size_t paint, std::size_t stretch, int level) const
    {
        return m_bins.data() + paint * m_bins_of_paint + placeOfBins(stretch, level);
    }
    void addBins(std::size_t stretch, int level, PictureWriter& writer) const;
    void drawBins(std::size_t stretch, PictureWriter& writer) const;
    static void drawHalves(const HalfColumns& halves, const std::uint8_t* bins, LanePaint paint,
                           PictureWriter& writer);
    std::span<const LongEvent> barsOf(const Stretch& stretch, double wide) const;
    static void drawBars(const Stretch& stretch, std::span<const LongEvent> bars, PictureWriter& writer);

    std::vector<Stretch> m_stretches;
    // The coarse levels of all stretches, level by level: zoomed out all have the same, and it is read in one
    // go. Then the fine levels of each.
    // One paint after the other.
    Column<std::uint8_t> m_bins;
    std::size_t m_bins_of_paint = 0;
    std::vector<LanePaint> m_paints; // that occur
    Column<LongEvent> m_long;        // by stretch, and by how often they can be halved, the longest first
};

// The part of [first, last) of the events that is on screen, one by one.
void drawEvents(const RowEvents& events, std::size_t first, std::size_t last, const TimeRange& range,
                PictureWriter& writer);

} // namespace shardscope

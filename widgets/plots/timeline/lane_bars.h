#pragma once

#include "widgets/plots/timeline/lane_columns.h"
#include "widgets/plots/timeline/time_axis.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace shardscope
{

// Something that lasts, in a row where nothing overlaps.
struct LaneSpan {
    TraceTime start_ns = 0;
    TraceTime duration_ns = 0;
    LanePaint paint = LanePaint::other;
    std::uint32_t source = 0; // the maker's: index of what it shows
    TraceTime end_ns() const { return start_ns + duration_ns; }
};

inline constexpr std::uint32_t no_span = 0xffffffff;

// A span that is more than three pixels wide: columns [left, right).
struct LaneBar {
    int left = 0;
    int right = 0;
    LanePaint paint = LanePaint::other;
    std::uint32_t span = no_span; // in its row
    int waiting = 0;              // its first columns: a call that waits for other ranks
    bool operator==(const LaneBar&) const = default;
};

// A row as it is drawn. Columns hold all of it, bars too: these fill theirs from edge to edge, but leave what
// spans that are not as wide as a bar have of them.
struct LanePicture {
    LaneColumns columns; // one for each pixel column
    std::vector<LaneBar> bars;
};

// Where times lie on screen, in parts of columns from the left edge; rounding may take the last nanoseconds a
// few parts beyond the right one. In integers, for this is done twice for each event on screen, and what to
// do with it has to wait for it.
class PartPlaces
{
public:
    PartPlaces(const TimeRange& range, int width);

    // Pre: in the range.
    int of(TraceTime time_ns) const
    {
        return static_cast<int>((fromStart(time_ns) >> m_unit_bits) * m_parts_per_unit >> part_bits);
    }
    // Whether the next may be asked: the same, faster. True of ranges of up to some minutes.
    bool countNanoseconds() const { return m_unit_bits == 0; }
    int ofNanosecond(TraceTime time_ns) const
    {
        return static_cast<int>(fromStart(time_ns) * m_parts_per_unit >> part_bits);
    }

private:
    static constexpr int part_bits = 38; // that m_parts_per_unit has behind its point
    std::uint64_t fromStart(TraceTime time_ns) const
    {
        return static_cast<std::uint64_t>(time_ns - m_start_ns);
    }

    TraceTime m_start_ns;
    int m_unit_bits; // a unit is two to this power of nanoseconds
    std::uint64_t m_parts_per_unit;
};

// Gathers the spans of a row, from left to right, into its picture.
class PictureWriter
{
public:
    static constexpr int narrowest_bar = 4; // columns; what is not as wide fills parts of them

    // What was in the picture is cleared. Pre: 0 < width < 32,768, as of any image.
    PictureWriter(const TimeRange& range, int width, LanePicture& picture);

    // Pre: some of it is on screen.
    void add(TraceTime start_ns, TraceTime end_ns, LanePaint paint, std::uint32_t span)
    {
        const int left = std::min(m_most_parts - 1, m_places.of(std::max(start_ns, m_range.start_ns)));
        const int right = std::clamp(m_places.of(std::min(end_ns, m_range.end_ns())), left + 1, m_most_parts);
        addParts(left, right, paint, span);
    }
    // The same, of places in parts of columns. Pre: 0 <= left < right, and both at most a column beyond the
    // right edge.
    void addParts(int left, int right, LanePaint paint, std::uint32_t span)
    {
        if (right - left >= narrowest_bar * LaneColumns::whole)
            addBar(left, right, paint, span);
        else
            m_columns.cover(left, right, paint);
    }
    // A paint that fills a share of what lies between two places, at most a column apart.
    void addShare(double left, double right, LanePaint paint, double share);
    // A span from one place to another, in columns, over columns that have it in them already.
    void addBarOver(double from, double to, LanePaint paint, std::uint32_t span);
    // Call it for each of these spans before it: what such a bar has beside its columns goes.
    void cutEdges(double from, double to);
    // Call it after the last span.
    void finish();

    int width() const { return m_width; }
    // Where a time lies, in columns from the left edge.
    double place(TraceTime time_ns) const
    {
        return static_cast<double>(time_ns - m_range.start_ns) * m_columns_per_ns;
    }
    double columnsPerNs() const { return m_columns_per_ns; }
    const PartPlaces& places() const { return m_places; }
    LaneColumns& columns() { return m_columns; }

private:
    void addBar(int left, int right, LanePaint paint, std::uint32_t span); // in parts of columns
    // Here, for the cost of a call for each.
    void listBar(const LaneBar& bar)
    {
        if (m_bar_count == m_picture.bars.size())
            m_picture.bars.resize(2 * m_bar_count + 32);
        m_picture.bars[m_bar_count++] = bar;
    }
    void joinEdge(int column, LanePaint paint, int most = LaneColumns::whole);
    void cutEdge(int column, int part);
    std::pair<int, int> partsOf(double from, double to) const; // on screen

    TimeRange m_range;
    int m_width;
    double m_columns_per_ns;
    PartPlaces m_places;
    int m_most_parts;
    LanePicture& m_picture;
    LaneColumns& m_columns;      // of the picture
    std::size_t m_bar_count = 0; // the picture has room for some more
    // What a bar has of the columns beside its own: theirs where they hold something else too.
    struct Beyond {
        int column = 0;
        int part = 0;
        LanePaint paint = LanePaint::other;
    };
    std::vector<Beyond> m_beyond;
    std::array<double, lane_paint_count> m_rest{}; // of shares that are less than a part
};

// Lets bars end a pixel early where their colour goes on, so that neighbours are told apart without outlines.
void partBars(LanePicture& picture);

// Neighbouring columns that the eye does not tell apart, and what fills them, in the order of the paints.
struct ColumnRun {
    struct Share {
        LanePaint paint = LanePaint::other;
        int part = 0; // of LaneColumns::whole
        bool operator==(const Share&) const = default;
    };
    int left = 0;
    int right = 0;
    std::vector<Share> shares;
    bool waits = false;
    bool operator==(const ColumnRun&) const = default;
};
std::vector<ColumnRun> runsOf(const LaneColumns& columns);

// The first span that ends after a time.
std::size_t firstEndingAfter(std::span<const LaneSpan> spans, TraceTime time_ns);
// The span that fills most of a pixel column; no_span: none.
std::uint32_t spanAt(std::span<const LaneSpan> spans, const TimeRange& range, int width, int column);

} // namespace shardscope

#pragma once

#include "widgets/plots/lane_paint.h"
#include "widgets/plots/time_axis.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
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

// A piece of a row as it is drawn: pixel columns [left, right) of one paint. A bar is one span that is at
// least two pixels wide, or columns in which several short ones lie; then it has the paint that fills most of
// them.
struct LaneBar {
    int left = 0;
    int right = 0;
    LanePaint paint = LanePaint::other;
    std::uint8_t fill = 255;      // how much of the time is busy, of 255; above 0
    std::uint32_t span = no_span; // in its row
    int waiting = 0;              // its first columns: a call that waits for other ranks
    bool operator==(const LaneBar&) const = default;
};

// Gathers spans of a row, given by start, into bars. Costs one addition for each span, whatever its length.
class BarWriter
{
public:
    // Bars are appended. Pre: width > 0.
    BarWriter(const TimeRange& range, int width, std::vector<LaneBar>& bars);

    // In the header, as everything else that is done for each event on screen.
    void add(TraceTime start_ns, TraceTime end_ns, LanePaint paint, std::uint32_t span)
    {
        const double left = pixel(start_ns);
        const double right = pixel(end_ns);
        if (right - left >= widest_share) {
            addBar(left, right, paint, span);
            return;
        }
        const int first = floored(left);
        const double edge = first + 1.0;
        if (right <= edge) {
            addShare(first, static_cast<float>(right - left), paint);
            return;
        }
        addShare(first, static_cast<float>(edge - left), paint);
        addShare(first + 1, static_cast<float>(std::min(1.0, right - edge)), paint);
        if (right > edge + 1.0)
            addShare(first + 2, static_cast<float>(right - edge - 1.0), paint);
    }
    // Several short spans at once, all in the column of `start_ns`.
    void addBusy(TraceTime start_ns, TraceTime busy_ns, LanePaint paint);
    // The same with a share of a column.
    void addShare(int column, float share, LanePaint paint)
    {
        if (column < 0 || column >= m_width)
            return;
        if (column != m_column) {
            flush();
            m_column = column;
        }
        const auto index = static_cast<std::size_t>(paint);
        m_total += share;
        m_share[index] += share;
        if (m_share[index] > m_most || m_touched == 0) {
            m_most = m_share[index];
            m_paint = paint;
        }
        m_touched |= 1U << index;
    }
    // Where the column of this time ends.
    TraceTime columnEnd(TraceTime time_ns) const
    {
        return m_range.start_ns + static_cast<TraceTime>((floored(pixel(time_ns)) + 1.0) / m_pixels_per_ns);
    }
    void finish();

private:
    static constexpr double widest_share = 2.0; // pixels; what is wider is a bar of its own

    // Without the library's call that older processors need. Columns of what is not wide fit an int.
    static int floored(double value)
    {
        const int cut = static_cast<int>(value);
        return cut - (value < cut ? 1 : 0);
    }
    double pixel(TraceTime time_ns) const
    {
        return static_cast<double>(time_ns - m_range.start_ns) * m_pixels_per_ns;
    }
    void addBar(double left, double right, LanePaint paint, std::uint32_t span);
    void flush();

    TimeRange m_range;
    int m_width;
    double m_pixels_per_ns;
    std::vector<LaneBar>& m_bars;
    std::size_t m_first_bar; // of those that this writer appended
    int m_column = -1;
    float m_total = 0.0F;
    float m_most = 0.0F;
    LanePaint m_paint = LanePaint::other;
    std::uint32_t m_touched = 0; // paints with a share in the column
    std::array<float, lane_paint_count> m_share{};
};

// The bars of spans in order of their start that do not overlap. Walks those on screen.
void appendBars(std::span<const LaneSpan> spans, const TimeRange& range, int width,
                std::vector<LaneBar>& bars);
// The first span that ends after a time.
std::size_t firstEndingAfter(std::span<const LaneSpan> spans, TraceTime time_ns);
// The span that fills most of a pixel column; no_span: none.
std::uint32_t spanAt(std::span<const LaneSpan> spans, const TimeRange& range, int width, int column);

} // namespace shardscope

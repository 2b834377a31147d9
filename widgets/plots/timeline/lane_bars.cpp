#include "widgets/plots/timeline/lane_bars.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr int most_unit_bits = 40; // of a range in units: finer than parts of columns
// Parts of a column by which bins may be wrong about the edge of a bar.
constexpr int blurred = 160;

std::vector<ColumnRun::Share> sharesOf(const LaneColumns& columns, std::size_t column)
{
    std::vector<ColumnRun::Share> shares;
    columns.paints().forEach([&](LanePaint paint) {
        if (const int part = columns.part(column, paint); part > 0)
            shares.push_back({paint, part});
    });
    return shares;
}

bool lookAlike(const ColumnRun::Share& a, const ColumnRun::Share& b)
{
    const auto grade = [](int part) { return (part + LaneColumns::whole / 32) / (LaneColumns::whole / 16); };
    return a.paint == b.paint && grade(a.part) == grade(b.part);
}

} // namespace

PartPlaces::PartPlaces(const TimeRange& range, int width)
    : m_start_ns{range.start_ns},
      m_unit_bits{std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range.length_ns)))
                                  - most_unit_bits)}
{
    const double parts_per_ns =
        static_cast<double>(width) * LaneColumns::whole / static_cast<double>(range.length_ns);
    // Rounded up: a time at the edge of a column is not in the one before.
    m_parts_per_unit =
        static_cast<std::uint64_t>(std::ceil(std::ldexp(parts_per_ns, part_bits + m_unit_bits)));
}

PictureWriter::PictureWriter(const TimeRange& range, int width, LanePicture& picture)
    : m_range{range},
      m_width{width},
      m_columns_per_ns{static_cast<double>(width) / static_cast<double>(range.length_ns)},
      m_places{range, width},
      m_most_parts{width * LaneColumns::whole},
      m_picture{picture},
      m_columns{picture.columns}
{
    m_columns.clear(static_cast<std::size_t>(width));
    m_picture.bars.clear();
}

std::pair<int, int> PictureWriter::partsOf(double from, double to) const
{
    return {static_cast<int>(std::max(0.0, from * LaneColumns::whole)),
            static_cast<int>(std::min<double>(m_most_parts, to * LaneColumns::whole))};
}

void PictureWriter::addBar(int left, int right, LanePaint paint, std::uint32_t span)
{
    const int first = (left + LaneColumns::whole / 2) >> LaneColumns::cell_bits;
    const int last = (right + LaneColumns::whole / 2) >> LaneColumns::cell_bits;
    listBar({first, last, paint, span});
    constexpr int mask = LaneColumns::whole - 1;
    if (const int part = left & mask; part >= LaneColumns::whole / 2)
        m_beyond.push_back({first - 1, LaneColumns::whole - part, paint});
    if (const int part = right & mask; part > 0 && part < LaneColumns::whole / 2)
        m_beyond.push_back({last, part, paint});
    const std::span<LaneColumns::Part> its = m_columns.planeOf(paint);
    std::fill(its.begin() + first + 1, its.begin() + last - 1,
              static_cast<LaneColumns::Part>(LaneColumns::whole));
}

// What is left of a column at the edge of a bar is the bar's, or so much of it.
void PictureWriter::joinEdge(int column, LanePaint paint, int most)
{
    const auto at = static_cast<std::size_t>(column);
    m_columns.add(at, std::clamp(LaneColumns::whole - m_columns.filled(at), 0, most), paint);
}

// Only now is it known what else the columns at the edges of bars hold.
void PictureWriter::finish()
{
    m_picture.bars.resize(m_bar_count);
    for (const LaneBar& bar : m_picture.bars) {
        joinEdge(bar.left, bar.paint);
        joinEdge(bar.right - 1, bar.paint);
    }
    for (std::size_t i = 0; i < m_beyond.size(); ++i) {
        const Beyond& edge = m_beyond[i];
        const bool is_shared = (i > 0 && m_beyond[i - 1].column == edge.column)
                               || (i + 1 < m_beyond.size() && m_beyond[i + 1].column == edge.column);
        if (edge.column < m_width && (is_shared || !m_columns.isEmpty(static_cast<std::size_t>(edge.column))))
            joinEdge(edge.column, edge.paint, edge.part);
    }
}

void PictureWriter::addShare(double left, double right, LanePaint paint, double share)
{
    const auto first = static_cast<int>(std::floor(left));
    const double in_first = std::min(right, first + 1.0) - left;
    const auto add = [&](int column, double of_column) {
        if (column < 0 || column >= m_width)
            return;
        const auto at = static_cast<std::size_t>(column);
        double& rest = m_rest[static_cast<std::size_t>(paint)];
        rest += of_column * share * LaneColumns::whole;
        const int part = std::max(m_columns.part(at, paint) == 0 ? 1 : 0, static_cast<int>(rest));
        rest = std::max(0.0, rest - part); // what was shown too much is not taken from what follows
        m_columns.add(at, std::min(part, LaneColumns::whole), paint);
    };
    add(first, in_first);
    if (right > first + 1.0)
        add(first + 1, right - left - in_first);
}

// A column beside a bar that has nothing else in it stays empty; else all keep what they have.
void PictureWriter::cutEdge(int column, int part)
{
    if (column < 0 || column >= m_width)
        return;
    const auto at = static_cast<std::size_t>(column);
    if (m_columns.filled(at) - part <= blurred)
        m_columns.empty(at);
}

void PictureWriter::cutEdges(double from, double to)
{
    const auto [left, right] = partsOf(from, to);
    constexpr int mask = LaneColumns::whole - 1;
    if ((left & mask) >= LaneColumns::whole / 2)
        cutEdge(left >> LaneColumns::cell_bits, LaneColumns::whole - (left & mask));
    if (const int part = right & mask; part > 0 && part < LaneColumns::whole / 2)
        cutEdge(right >> LaneColumns::cell_bits, part);
}

void PictureWriter::addBarOver(double from, double to, LanePaint paint, std::uint32_t span)
{
    const auto [left, right] = partsOf(from, to);
    if (left >= right)
        return;
    const int first = (left + LaneColumns::whole / 2) >> LaneColumns::cell_bits;
    const int last = (right + LaneColumns::whole / 2) >> LaneColumns::cell_bits;
    if (first >= last)
        return;
    if (last - first >= narrowest_bar) // more than its end may be on screen
        listBar({first, last, paint, span});
    const auto begin = static_cast<std::size_t>(first);
    const auto end = static_cast<std::size_t>(last);
    m_columns.fill(begin + 1, end - 1, paint);
    for (const std::size_t edge : {begin, end - 1})
        if (m_columns.filled(edge) - m_columns.part(edge, paint) <= blurred)
            m_columns.fill(edge, edge + 1, paint);
        else
            joinEdge(static_cast<int>(edge), paint);
}

void partBars(LanePicture& picture)
{
    const LaneColumns& columns = picture.columns;
    for (const LaneBar& bar : picture.bars) {
        const auto next = static_cast<std::size_t>(bar.right);
        // Less than half of it is the bar's own rest.
        if (next < columns.size() && columns.part(next, bar.paint) >= LaneColumns::whole / 2
            && columns.isOnly(next - 1, bar.paint))
            picture.columns.empty(next - 1);
    }
}

std::vector<ColumnRun> runsOf(const LaneColumns& columns)
{
    std::vector<ColumnRun> runs;
    for (std::size_t first = 0; first < columns.size();) {
        std::vector<ColumnRun::Share> shares = sharesOf(columns, first);
        std::size_t end = first + 1;
        while (end < columns.size() && columns.waits(end) == columns.waits(first)
               && std::ranges::equal(sharesOf(columns, end), shares, lookAlike))
            ++end;
        if (!shares.empty())
            runs.push_back(
                {static_cast<int>(first), static_cast<int>(end), std::move(shares), columns.waits(first)});
        first = end;
    }
    return runs;
}

std::size_t firstEndingAfter(std::span<const LaneSpan> spans, TraceTime time_ns)
{
    const auto first = std::partition_point(
        spans.begin(), spans.end(), [time_ns](const LaneSpan& span) { return span.end_ns() <= time_ns; });
    return static_cast<std::size_t>(first - spans.begin());
}

std::uint32_t spanAt(std::span<const LaneSpan> spans, const TimeRange& range, int width, int column)
{
    const TraceTime from = timeOfColumn(column, range, width);
    const TraceTime to = std::max(timeOfColumn(column + 1, range, width), from + 1);
    std::uint32_t found = no_span;
    TraceTime most = -1;
    for (std::size_t i = firstEndingAfter(spans, from); i < spans.size() && spans[i].start_ns < to; ++i) {
        const TraceTime inside = std::min(spans[i].end_ns(), to) - std::max(spans[i].start_ns, from);
        if (inside > most) {
            most = inside;
            found = static_cast<std::uint32_t>(i);
        }
    }
    return found;
}

} // namespace shardscope

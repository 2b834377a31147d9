#include "widgets/plots/timeline/lane_bars.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace shardscope
{

namespace
{

constexpr int most_unit_bits = 40; // of a range in units: finer than parts of columns
// Parts of a column by which bins may be wrong about the edge of a bar.
constexpr int blurred = 160;

constexpr int narrow = 8; // columns of a bar

// The first columns get a shade, the others of the narrow ones none: how many cannot be foreseen, and nothing
// is right of a bar yet.
void fillNarrow(Shade* columns, int count, Shade shade)
{
    using Codes [[gnu::vector_size(narrow * sizeof(Shade))]] = std::uint16_t;
    constexpr std::uint16_t yes = 0xffff;
    static constexpr std::array<std::uint16_t, std::size_t{2} * narrow> yes_then_no{yes, yes, yes, yes,
                                                                                    yes, yes, yes, yes};
    Codes codes;
    std::memcpy(&codes, yes_then_no.data() + narrow - count, sizeof codes);
    codes &= shade.code();
    std::memcpy(static_cast<void*>(columns), &codes, sizeof codes);
}

bool lookAlike(Shade a, Shade b)
{
    const auto grade = [](Shade shade) { return (shade.fill() + 8) / 16; };
    return a.paint() == b.paint() && a.waits() == b.waits() && grade(a) == grade(b);
}

} // namespace

PartPlaces::PartPlaces(const TimeRange& range, int width)
    : m_start_ns{range.start_ns},
      m_unit_bits{std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range.length_ns)))
                                  - most_unit_bits)}
{
    const double parts_per_ns =
        static_cast<double>(width) * ShadeLine::whole / static_cast<double>(range.length_ns);
    // Rounded up: a time at the edge of a column is not in the one before.
    m_parts_per_unit =
        static_cast<std::uint64_t>(std::ceil(std::ldexp(parts_per_ns, part_bits + m_unit_bits)));
}

PictureWriter::PictureWriter(const TimeRange& range, int width, LanePicture& picture)
    : m_range{range},
      m_width{width},
      m_columns_per_ns{static_cast<double>(width) / static_cast<double>(range.length_ns)},
      m_places{range, width},
      m_most_parts{width * ShadeLine::whole},
      m_picture{picture},
      m_line{static_cast<std::size_t>(width)}
{
    m_picture.columns.assign(static_cast<std::size_t>(width), Shade{});
    m_picture.bars.clear();
}

void PictureWriter::addBar(int left, int right, LanePaint paint, std::uint32_t span)
{
    const int first = (left + ShadeLine::whole / 2) >> ShadeLine::cell_bits;
    const int last = (right + ShadeLine::whole / 2) >> ShadeLine::cell_bits;
    listBar({first, last, paint, span});
    const Shade shade{paint, Shade::full};
    Shade* const columns = m_picture.columns.data();
    if (last - first <= narrow && first + narrow <= m_width)
        fillNarrow(columns + first, last - first, shade);
    else
        std::fill(columns + first, columns + last, shade);
}

void PictureWriter::finish()
{
    m_line.copyTo(m_picture.columns);
    m_picture.bars.resize(m_bar_count);
}

void PictureWriter::addShade(double left, double right, Shade shade)
{
    if (shade.isEmpty())
        return;
    const auto first = static_cast<int>(std::floor(left));
    const double density = static_cast<double>(shade.fill()) / Shade::full;
    const double in_first = std::min(right, first + 1.0) - left;
    const auto add = [&](int column, double share) {
        const int parts = static_cast<int>(share * density * ShadeLine::whole + 0.5);
        if (column >= 0 && column < m_width)
            m_line.add(column, std::clamp(parts, 1, ShadeLine::whole), shade.paint());
    };
    add(first, in_first);
    if (right > first + 1.0)
        add(first + 1, right - left - in_first);
}

// Leaves in a column what others have there.
void PictureWriter::takeOut(int column, int share)
{
    m_line.takeAway(column, share, blurred);
    Shade& shade = m_picture.columns[static_cast<std::size_t>(column)];
    const int rest = shade.fill() - (share * Shade::full >> ShadeLine::cell_bits);
    shade = rest > blurred * Shade::full >> ShadeLine::cell_bits ? Shade{shade.paint(), rest} : Shade{};
}

void PictureWriter::addBarOver(double from, double to, LanePaint paint, std::uint32_t span)
{
    const int left = static_cast<int>(std::max(0.0, from * ShadeLine::whole));
    const int right = static_cast<int>(std::min<double>(m_most_parts, to * ShadeLine::whole));
    if (left >= right)
        return;
    constexpr int mask = ShadeLine::whole - 1;
    takeOut(left >> ShadeLine::cell_bits, ShadeLine::whole - (left & mask));
    if (right >> ShadeLine::cell_bits < m_width)
        takeOut(right >> ShadeLine::cell_bits, right & mask);
    int first = (left + ShadeLine::whole / 2) >> ShadeLine::cell_bits;
    int last = (right + ShadeLine::whole / 2) >> ShadeLine::cell_bits;
    if (last - first >= narrowest_bar) // more than its end may be on screen
        listBar({first, last, paint, span});
    const auto columns = m_picture.columns.begin();
    if (last - first > 2) { // what others have at its edges stays
        first += columns[first].isEmpty() ? 0 : 1;
        last -= columns[last - 1].isEmpty() ? 0 : 1;
    }
    for (int column = first; column < last; ++column) {
        m_line.clear(column);
        columns[column] = Shade{paint, Shade::full};
    }
}

void partBars(LanePicture& picture)
{
    for (const LaneBar& bar : picture.bars) {
        Shade& last = picture.columns[static_cast<std::size_t>(bar.right - 1)];
        if (last == Shade{bar.paint, Shade::full})
            last = {};
    }
}

std::vector<ShadeRun> runsOf(std::span<const Shade> columns)
{
    std::vector<ShadeRun> runs;
    for (std::size_t first = 0; first < columns.size();) {
        std::size_t end = first + 1;
        while (end < columns.size() && lookAlike(columns[end], columns[first])
               && columns[end].isEmpty() == columns[first].isEmpty())
            ++end;
        if (!columns[first].isEmpty())
            runs.push_back({static_cast<int>(first), static_cast<int>(end), columns[first]});
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

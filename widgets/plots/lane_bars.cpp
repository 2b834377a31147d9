#include "widgets/plots/lane_bars.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shardscope
{

namespace
{

// Columns whose fill differs by less than the eye sees are one bar.
int gradeOf(std::uint8_t fill)
{
    return (fill + 8) / 16;
}

static_assert(lane_paint_count <= 32, "BarWriter keeps a bit for each paint");

} // namespace

BarWriter::BarWriter(const TimeRange& range, int width, std::vector<LaneBar>& bars)
    : m_range{range},
      m_width{width},
      m_pixels_per_ns{static_cast<double>(width) / static_cast<double>(range.length_ns)},
      m_bars{bars},
      m_first_bar{bars.size()}
{
}

void BarWriter::addBar(double left, double right, LanePaint paint, std::uint32_t span)
{
    const int first = left <= 0.0 ? 0 : static_cast<int>(left + 0.5);
    const int last = right >= m_width ? m_width : static_cast<int>(right + 0.5);
    if (first >= last)
        return;
    flush();
    m_bars.push_back({first, last, paint, 255, span});
}

void BarWriter::addBusy(TraceTime start_ns, TraceTime busy_ns, LanePaint paint)
{
    addShare(floored(pixel(start_ns)), static_cast<float>(static_cast<double>(busy_ns) * m_pixels_per_ns),
             paint);
}

void BarWriter::flush()
{
    if (m_column < 0)
        return;
    const auto fill = static_cast<std::uint8_t>(std::clamp(m_total * 255.0F + 0.5F, 1.0F, 255.0F));
    const bool continues = m_bars.size() > m_first_bar && m_bars.back().span == no_span
                           && m_bars.back().right == m_column && m_bars.back().paint == m_paint
                           && gradeOf(m_bars.back().fill) == gradeOf(fill);
    if (continues)
        m_bars.back().right = m_column + 1;
    else
        m_bars.push_back({m_column, m_column + 1, m_paint, fill, no_span});
    m_column = -1;
    m_total = m_most = 0.0F;
    for (; m_touched != 0; m_touched &= m_touched - 1)
        m_share[static_cast<std::size_t>(std::countr_zero(m_touched))] = 0.0F;
}

void BarWriter::finish()
{
    flush();
}

std::size_t firstEndingAfter(std::span<const LaneSpan> spans, TraceTime time_ns)
{
    const auto first = std::partition_point(
        spans.begin(), spans.end(), [time_ns](const LaneSpan& span) { return span.end_ns() <= time_ns; });
    return static_cast<std::size_t>(first - spans.begin());
}

void appendBars(std::span<const LaneSpan> spans, const TimeRange& range, int width,
                std::vector<LaneBar>& bars)
{
    BarWriter writer{range, width, bars};
    for (std::size_t i = firstEndingAfter(spans, range.start_ns);
         i < spans.size() && spans[i].start_ns < range.end_ns(); ++i)
        writer.add(spans[i].start_ns, spans[i].end_ns(), spans[i].paint, static_cast<std::uint32_t>(i));
    writer.finish();
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

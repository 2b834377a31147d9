#include "widgets/plots/timeline/predicted_row.h"

#include "core/base/nanoseconds.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// Columns of a part, on average: bars are to be told apart, shares only to stand where they are.
constexpr double narrowest_bar_part = 8.0;
constexpr double narrowest_shares_part = 1.0;

// The parts [first, last) that are in the range, of a pass that starts at a time.
std::pair<std::size_t, std::size_t> partsBetween(const PassPattern& pattern, TraceTime start_ns,
                                                 const TimeRange& range)
{
    const std::size_t first = firstEndingAfter(pattern.parts, range.start_ns - start_ns);
    std::size_t last = first;
    while (last < pattern.parts.size() && start_ns + pattern.parts[last].start_ns < range.end_ns())
        ++last;
    return {first, last};
}

TraceTime inside(TraceTime start_ns, TraceTime end_ns, const TimeRange& range)
{
    return std::max<TraceTime>(0, std::min(end_ns, range.end_ns()) - std::max(start_ns, range.start_ns));
}

} // namespace

PassPattern patternOf(const std::vector<PassPart>& parts, double pass_s,
                      const std::function<std::optional<LanePaint>(const PassPart&)>& paint)
{
    PassPattern pattern;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::optional<LanePaint> its = paint(parts[i]);
        if (!its)
            continue;
        const TraceTime start = nanoseconds(parts[i].start_s);
        const TraceTime length = nanoseconds(parts[i].end_s()) - start;
        pattern.parts.push_back({start, length, *its, static_cast<std::uint32_t>(i)});
        pattern.sums[static_cast<std::size_t>(*its)] += length;
    }
    pattern.duration_ns = std::max<TraceTime>(1, nanoseconds(pass_s));
    for (std::size_t i = 0; i < pattern.sums.size(); ++i)
        if (pattern.sums[i] > 0)
            pattern.shares.push_back(
                {static_cast<LanePaint>(i), std::min(1.0, static_cast<double>(pattern.sums[i])
                                                              / static_cast<double>(pattern.duration_ns))});
    return pattern;
}

PredictedRow::PredictedRow(Patterns patterns, FromAfar passes)
    : m_patterns{std::move(patterns)}, m_passes{passes}
{
    for (const PassPattern& pattern : *m_patterns) {
        if (pattern.parts.empty())
            continue;
        const double its =
            static_cast<double>(pattern.duration_ns) / static_cast<double>(pattern.parts.size());
        m_part_ns = m_part_ns > 0.0 ? std::min(m_part_ns, its) : its;
    }
}

void PredictedRow::add(const LaneSpan& span, int pass)
{
    const bool shows = pass >= 0 && !(*m_patterns)[static_cast<std::size_t>(pass)].parts.empty();
    if (pass >= 0 && !shows && m_passes == FromAfar::shares)
        return;
    m_spans.push_back(span);
    m_pass.push_back(shows ? pass : -1);
    m_first_part.push_back(m_parts);
    if (const PassPattern* its = pattern(m_spans.size() - 1))
        m_parts += static_cast<std::uint32_t>(its->parts.size());
}

bool PredictedRow::showsParts(const TimeRange& range, int width) const
{
    const double columns = m_part_ns * width / static_cast<double>(std::max<TraceTime>(1, range.length_ns));
    return columns >= (m_passes == FromAfar::bar ? narrowest_bar_part : narrowest_shares_part);
}

// In each column that the pass lies in, every paint has its share of the pass.
void PredictedRow::drawShares(const LaneSpan& span, const PassPattern& pattern, PictureWriter& writer)
{
    const double begin = std::max(0.0, writer.place(span.start_ns));
    const double end = std::min<double>(writer.width(), writer.place(span.end_ns()));
    for (const auto& [paint, of_pass] : pattern.shares)
        for (double left = begin; left < end;) {
            const double right = std::min(end, std::floor(left) + 1.0);
            writer.addShare(left, right, paint, of_pass);
            left = right;
        }
}

void PredictedRow::draw(const TimeRange& range, int width, LanePicture& picture) const
{
    PictureWriter writer{range, width, picture};
    const bool shows_parts = showsParts(range, width);
    for (std::size_t i = firstEndingAfter(m_spans, range.start_ns);
         i < m_spans.size() && m_spans[i].start_ns < range.end_ns(); ++i) {
        const LaneSpan& span = m_spans[i];
        const PassPattern* its = pattern(i);
        if (its == nullptr || (m_passes == FromAfar::bar && !shows_parts)) {
            writer.add(span.start_ns, span.end_ns(), span.paint, static_cast<std::uint32_t>(i));
            continue;
        }
        if (!shows_parts) {
            drawShares(span, *its, writer);
            continue;
        }
        const auto [first, last] = partsBetween(*its, span.start_ns, range);
        for (std::size_t part = first; part < last; ++part) {
            const LaneSpan& one = its->parts[part];
            writer.add(span.start_ns + one.start_ns, span.start_ns + one.end_ns(), one.paint,
                       barOfPart(i, part));
        }
    }
    writer.finish();
}

std::uint32_t PredictedRow::barAt(const TimeRange& range, int width, int column) const
{
    const std::uint32_t span = spanAt(m_spans, range, width, column);
    if (span == no_span || pattern(span) == nullptr || !showsParts(range, width))
        return span;
    const LaneSpan& pass = m_spans[span];
    const TimeRange within{range.start_ns - pass.start_ns, range.length_ns};
    const std::uint32_t part = spanAt(partsOf(span), within, width, column);
    return part == no_span ? no_span : barOfPart(span, part);
}

std::pair<std::size_t, std::size_t> PredictedRow::place(std::uint32_t bar) const
{
    if ((bar & part_bit) == 0)
        return {bar, 0};
    const std::uint32_t part = bar & ~part_bit;
    const auto after = std::ranges::upper_bound(m_first_part, part);
    // Spans without parts begin where the next ones do: the last that begins there has them.
    const auto span = static_cast<std::size_t>(after - m_first_part.begin() - 1);
    return {span, part - m_first_part[span]};
}

LaneSpan PredictedRow::bar(std::uint32_t bar) const
{
    const auto [span, part] = place(bar);
    LaneSpan result = m_spans[span];
    if ((bar & part_bit) != 0) {
        const LaneSpan& its = partsOf(span)[part];
        result.start_ns += its.start_ns;
        result.duration_ns = its.duration_ns;
        result.paint = its.paint;
    }
    return result;
}

std::optional<std::size_t> PredictedRow::part(std::uint32_t bar) const
{
    if ((bar & part_bit) == 0)
        return std::nullopt;
    const auto [span, part] = place(bar);
    return partsOf(span)[part].source;
}

std::uint32_t PredictedRow::barOf(std::uint32_t source) const
{
    const auto found = std::ranges::lower_bound(m_spans, source, {}, &LaneSpan::source);
    const bool is_there = found != m_spans.end() && found->source == source;
    return is_there ? static_cast<std::uint32_t>(found - m_spans.begin()) : no_span;
}

void PredictedRow::forEachBar(const TimeRange& range, bool parts,
                              const std::function<void(std::uint32_t)>& visit) const
{
    for (std::size_t i = firstEndingAfter(m_spans, range.start_ns);
         i < m_spans.size() && m_spans[i].start_ns < range.end_ns(); ++i) {
        const PassPattern* its = parts ? pattern(i) : nullptr;
        if (its == nullptr) {
            visit(static_cast<std::uint32_t>(i));
            continue;
        }
        const auto [first, last] = partsBetween(*its, m_spans[i].start_ns, range);
        for (std::size_t part = first; part < last; ++part)
            visit(barOfPart(i, part));
    }
}

std::size_t PredictedRow::partCount(const TimeRange& range) const
{
    const std::size_t first = firstEndingAfter(m_spans, range.start_ns);
    std::size_t count = 0;
    for (std::size_t i = first; i < m_spans.size() && m_spans[i].start_ns < range.end_ns(); ++i) {
        const PassPattern* its = pattern(i);
        count += its == nullptr ? 1 : its->parts.size();
    }
    return count;
}

void PredictedRow::addDurations(const TimeRange& range, PaintDurations& durations) const
{
    for (std::size_t i = firstEndingAfter(m_spans, range.start_ns);
         i < m_spans.size() && m_spans[i].start_ns < range.end_ns(); ++i) {
        const LaneSpan& span = m_spans[i];
        const PassPattern* its = pattern(i);
        if (its == nullptr) {
            durations[static_cast<std::size_t>(span.paint)] += inside(span.start_ns, span.end_ns(), range);
        } else if (span.start_ns >= range.start_ns && span.end_ns() <= range.end_ns()) {
            for (std::size_t paint = 0; paint < durations.size(); ++paint)
                durations[paint] += its->sums[paint];
        } else {
            const auto [first, last] = partsBetween(*its, span.start_ns, range);
            for (std::size_t part = first; part < last; ++part) {
                const LaneSpan& one = its->parts[part];
                durations[static_cast<std::size_t>(one.paint)] +=
                    inside(span.start_ns + one.start_ns, span.start_ns + one.end_ns(), range);
            }
        }
    }
}

} // namespace shardscope

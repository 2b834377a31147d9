#include "widgets/plots/timeline/paint_overlaps.h"

#include <algorithm>
#include <array>
#include <limits>

namespace shardscope
{

PaintOverlaps::PaintOverlaps(const TraceStore& store, const EventPaints& paints)
{
    std::vector<EventIndex> calls;
    for (std::uint32_t event = 0; event < store.size(); ++event)
        if (kindOf(paints.paint(event)) && paints.counts(event))
            calls.push_back(EventIndex{event});
    std::ranges::sort(calls, {}, [&store](EventIndex call) { return store.start(call); });
    std::array<TraceTime, lane_paint_count> covered_until{};
    covered_until.fill(std::numeric_limits<TraceTime>::min());
    for (const EventIndex call : calls) {
        const LanePaint paint = paints.paint(static_cast<std::size_t>(call));
        TraceTime& until = covered_until[static_cast<std::size_t>(paint)];
        const Overlap overlap{store.start(call), std::min(store.end(call), until), paint};
        until = std::max(until, store.end(call));
        if (overlap.end <= overlap.start)
            continue;
        m_overlaps.push_back(overlap);
        m_longest_ns = std::max(m_longest_ns, overlap.end - overlap.start);
    }
}

void PaintOverlaps::subtract(const TimeRange& range, PaintDurations& durations) const
{
    auto overlap = std::ranges::lower_bound(m_overlaps, range.start_ns - m_longest_ns, {}, &Overlap::start);
    for (; overlap != m_overlaps.end() && overlap->start < range.end_ns(); ++overlap) {
        const TraceTime inside =
            std::min(overlap->end, range.end_ns()) - std::max(overlap->start, range.start_ns);
        if (inside > 0)
            durations[static_cast<std::size_t>(overlap->paint)] -= inside;
    }
}

} // namespace shardscope

#include "widgets/plots/timeline/event_paints.h"

#include <algorithm>
#include <limits>

namespace shardscope
{

EventPaints::EventPaints(const TraceStore& store, const std::function<LanePaint(EventIndex)>& paint_of)
{
    m_marks.assign(store.size(), 0);
    for (const Track& track : store.tracks()) {
        std::array<TraceTime, lane_paint_count> covered_until;
        covered_until.fill(std::numeric_limits<TraceTime>::min());
        const auto first = static_cast<std::uint32_t>(track.first);
        for (std::uint32_t row = first; row < first + track.count; ++row) {
            const LanePaint paint = paint_of(EventIndex{row});
            const LanePaint family = isCompute(paint) ? LanePaint::compute : paint;
            TraceTime& covered = covered_until[static_cast<std::size_t>(family)];
            const TraceTime end = store.end(EventIndex{row});
            m_marks[row] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(paint)
                                                     | (end <= covered ? nested_mark : 0));
            covered = std::max(covered, end);
        }
    }
}

} // namespace shardscope

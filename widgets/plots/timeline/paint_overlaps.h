#pragma once

#include "widgets/plots/timeline/event_paints.h"
#include "widgets/plots/timeline/time_axis.h"

#include <vector>

namespace shardscope
{

// Where communication of one paint runs beside other communication of the same paint on a rank, on another
// row or thread: a send and the receive beside it. Sums over rows count such a moment more than once.
class PaintOverlaps
{
public:
    PaintOverlaps() = default;
    PaintOverlaps(const TraceStore& store, const EventPaints& paints);

    // Takes out of sums over the range what they count beyond once. Costs what lies in it.
    void subtract(const TimeRange& range, PaintDurations& durations) const;

private:
    struct Overlap {
        TraceTime start = 0;
        TraceTime end = 0;
        LanePaint paint = LanePaint::communication;
    };
    std::vector<Overlap> m_overlaps; // by start
    TraceTime m_longest_ns = 0;
};

} // namespace shardscope

#pragma once

#include "widgets/plots/timeline/event_paints.h"
#include "widgets/plots/timeline/time_axis.h"

#include <span>
#include <vector>

namespace shardscope
{

class TraceRow;

// How long anything works on a rank, on whichever of its rows: moments at which several events
// run count once. Keeps a mark for every few hundred events, and reads those between two marks when asked.
class WorkedTime
{
public:
    WorkedTime() = default;
    WorkedTime(const TraceStore& store, const EventPaints& paints);

    // Of the range, by the rank's own clock. Pre: `rows` are all rows of the store with such events.
    TraceTime within(const TimeRange& range, std::span<const TraceRow* const> rows) const;

private:
    struct Mark {
        TraceTime time = 0;
        TraceTime worked_ns = 0; // until then
    };
    TraceTime until(TraceTime time, std::span<const TraceRow* const> rows) const;

    const TraceStore* m_store = nullptr;
    const EventPaints* m_paints = nullptr;
    std::vector<Mark> m_marks; // by time
};

} // namespace shardscope

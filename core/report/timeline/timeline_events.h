#pragma once

#include "core/prediction/timeline/timeline.h"
#include "core/report/timeline/timeline_calls.h"
#include "core/report/timeline/timeline_trace.h"

#include <string>
#include <vector>

namespace shardscope
{

// The lanes of a rank in an exported timeline; their numbers are those of its threads. Within one nothing
// overlaps, as viewers demand of a thread.
enum class ExportedLane : int { compute = 1, communication, waiting, beneath, replicas, stages, sends };

// An event of a Chrome trace but for the process that it stands in.
struct EventText {
    std::string before; // up to "pid":
    std::string after;
};

// The events of the stages that are wanted, as text: ranks of a stage whose experts receive as much do the
// same; `load` is that over the mean. With `calls` these stand for the spans that they replace.
std::vector<std::vector<EventText>> eventsOf(const PredictedTimeline& timeline, TimelineDetail detail,
                                             const std::vector<bool>& is_wanted, const TimelineCalls* calls,
                                             double load = 1.0);
// Of all stages together, at most.
std::size_t eventCount(const PredictedTimeline& timeline, TimelineDetail detail);

} // namespace shardscope

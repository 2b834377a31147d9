#pragma once

#include "core/prediction/timeline/stage_events.h"

#include <cstddef>
#include <string>
#include <vector>

namespace shardscope
{

// An event of a Chrome trace but for the process that it stands in.
struct EventText {
    std::string before; // up to "pid":
    std::string after;
};

// The events of a stage as text, with the mark of the step that they are.
std::vector<EventText> textsOf(const std::vector<StageEvent>& events, const StageStep& step);
// Of all stages together, at most, without the marks.
std::size_t eventCount(const PredictedTimeline& timeline, TimelineDetail detail);

} // namespace shardscope

#pragma once

#include "widgets/models/table_text.h"
#include "widgets/plots/timeline/timeline_scene.h"

namespace shardscope
{

// What the timeline says about its bars. All of it is known from the scene.

// Written into a bar: the micro-batch (from 1), the kind, or the event's name.
QString barLabel(const TimelineScene& scene, const TimelineSpot& spot);
// For the tooltip (rich text) and, on one line, for the status bar.
QString barTip(const TimelineScene& scene, const TimelineSpot& spot);
QString barSentence(const TimelineScene& scene, const TimelineSpot& spot);

// The bars of a stretch of the axis, of every stage and of the measured tracks of interest. Beyond a million
// measured events the last row says how many are left out.
TableRows timelineTable(const TimelineScene& scene, const TimeRange& axis);

} // namespace shardscope

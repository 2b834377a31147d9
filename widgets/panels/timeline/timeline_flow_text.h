#pragma once

#include "widgets/plots/timeline/timeline_flow.h"

namespace shardscope
{

// What belongs to an event, for the details pane: its launch and the delay, what it launches, who waited in a
// collective and for whom. Links are named by the place of their event in flow.stops. Empty where there is
// nothing to tell.
QString flowHtml(const TimelineScene& scene, const TimelineSpot& spot, const TimelineFlow& flow);

} // namespace shardscope

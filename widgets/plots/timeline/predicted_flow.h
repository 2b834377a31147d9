#pragma once

#include "widgets/plots/timeline/timeline_flow.h"

namespace shardscope
{

// The message between two pipeline stages that a predicted span of pp sends or receives, with the pass on the
// other stage that sends or waits for it where that has no span of its own for it. Nothing belongs to other
// spans.
TimelineFlow flowOf(const PredictedLanes& lanes, const TimelineSpot& spot);

} // namespace shardscope

#pragma once

#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"
#include "widgets/plots/timeline/timeline_scene.h"

#include <optional>
#include <vector>

namespace shardscope
{

// What has a colour in the timeline: passes and classes of computation, the kinds of messages that are there,
// and idle time. `run` may be there before its lanes; each pointer may be null.
std::vector<LegendChip> timelineLegend(const PredictedLanes* predicted, const MeasuredLanes* measured,
                                       const MeasuredRun* run, bool has_pinned,
                                       const std::optional<Kind>& marked, const Theme& theme);

} // namespace shardscope

#pragma once

#include "widgets/plots/timeline/lane_layout.h"

#include <cstddef>

namespace shardscope
{

// Lanes that hold text are as high as a line of it; of many stages they are thinner.
LaneHeights heightsFor(double line_height, std::size_t stages);
// Lanes that leave room grow into it, up to a point.
LaneHeights grown(LaneHeights heights, double factor);
// Lanes of stages that do not fit become thinner, down to a point: a pipeline is seen whole.
LaneHeights thinned(LaneHeights heights, double factor, double line_height);

} // namespace shardscope

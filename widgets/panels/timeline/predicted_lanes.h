#pragma once

#include "widgets/plots/timeline/timeline_scene.h"
#include "widgets/session/content.h"

#include <memory>

namespace shardscope
{

// The lanes of a predicted iteration. Costs grow with stages times micro-batches, and with layers.
std::shared_ptr<const PredictedLanes> predictedLanes(std::shared_ptr<const PredictedScenario> source);

} // namespace shardscope

#pragma once

#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// Of the prediction's time what the forward passes of the slowest stage take, without waiting for other
// stages: their sum stands as the iteration's time. Pre: `prediction` is predict(scenario).
TimePrediction forwardTime(const Scenario& scenario, const Prediction& prediction);

} // namespace shardscope

#pragma once

#include "core/base/result.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// Pure: no clock, no file, no global; call it as often as a slider moves. Error: the first sentence of
// validate().
Result<Prediction> predict(const Scenario& scenario);
// Memory alone, in a few microseconds. Error: as predict().
Result<MemoryPrediction> predictMemory(const Scenario& scenario);

} // namespace shardscope

#pragma once

#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// Layers of a stage.
struct LayersHeld {
    double all = 0.0;
    double with_experts = 0.0;
    double modules = 0.0; // of multi-token prediction
};
LayersHeld layersHeld(const Model& model, const StagePrediction& stage);

// The same messages, in the same buckets.
bool sendAlike(const StagePrediction& a, const StagePrediction& b);

} // namespace shardscope

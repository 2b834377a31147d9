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
    double recurrences = 0.0;
    double attentions = 0.0;
    double blocks = 0.0; // that the tensor group's messages are of, but for those of routed experts
    // Among the blocks, those of layers without experts, and of layers with some.
    bool dense_send = true;
    bool experts_send = true;
};

// The layers of a stage that messages of a phase are of: all, or those that compute something again.
class StageLayers
{
public:
    StageLayers(const Scenario& scenario, const StagePrediction& stage);

    const LayersHeld& all() const { return m_all; }
    const LayersHeld& of(Phase phase) const { return phase == Phase::recompute ? m_again : m_all; }

private:
    LayersHeld m_all;
    LayersHeld m_again;
};

// The same messages, in the same buckets.
bool sendAlike(const StagePrediction& a, const StagePrediction& b);

} // namespace shardscope

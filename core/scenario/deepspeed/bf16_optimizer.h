#pragma once

#include "core/scenario/scenario.h"

namespace shardscope
{

// Whether DeepSpeed steps with its bf16 optimizer, which sums up 16-bit gradients apart in fp32 and reduces
// them when backward is through: without ZeRO, and for its stage 1 on the GPUs. All else with a stage is
// ZeRO's own optimizer (engine.py, _do_optimizer_sanity_check).
inline bool usesBf16Optimizer(const Scenario& scenario)
{
    const Training& training = scenario.training;
    const int stage = scenario.parallel.zero_stage;
    return hasBf16Weights(training.precision) && training.gradient_bytes >= 4
           && (stage == 0 || (stage == 1 && training.offload == Offload::none));
}

} // namespace shardscope

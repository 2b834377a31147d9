#pragma once

#include "core/scenario/scenario.h"

namespace shardscope
{

// Of each parameter: weights in fp32 have no copy, whatever master_bytes says.
inline int masterBytes(const Training& training)
{
    return training.precision == Precision::fp32 ? 0 : training.master_bytes;
}

// Whether Megatron-LM needs its precision-aware optimizer for these states: for all but an fp32 copy of
// 16-bit weights and moments in fp32. It is Transformer Engine's FusedAdam, which keeps the copy itself and
// takes gradients in the format of their sum (use_decoupled_grad).
inline bool needsPrecisionAwareOptimizer(const Training& training)
{
    const bool has_floats = training.exp_avg_bytes == 4 && training.exp_avg_sq_bytes == 4
                            && (training.precision == Precision::fp32 || training.master_bytes == 4);
    return training.optimizer == Optimizer::adam && !has_floats;
}

// On the host it is none of Transformer Engine's.
inline bool usesPrecisionAwareOptimizer(const Scenario& scenario)
{
    return scenario.conventions.framework == Framework::megatron && scenario.training.offload == Offload::none
           && needsPrecisionAwareOptimizer(scenario.training);
}

// Whether the two bytes of a copy are the 16 bits of a float that bf16 weights lack (store_param_remainders
// of Transformer Engine's FusedAdam, from 2.1 on). Beside fp16 weights they are a number of their own, as
// DeepSpeed's are beside all (bf16_master_weights_and_grads).
inline bool keepsRemainders(const Scenario& scenario)
{
    const Training& training = scenario.training;
    return training.master_bytes == 2 && scenario.conventions.framework != Framework::deepspeed
           && hasBf16Weights(training.precision);
}

} // namespace shardscope

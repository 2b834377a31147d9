#pragma once

#include "core/scenario/scenario.h"

namespace shardscope
{

// Whether the framework has that stage of ZeRO. Megatron-LM's distributed optimizer is 1, Megatron-FSDP 2 and
// 3; DeepSpeed has all. PyTorch's FSDP splits nothing (NO_SHARD, 0), gradients with the optimizer's states
// (SHARD_GRAD_OP, 2) or all (FULL_SHARD, 3); beside DDP ZeroRedundancyOptimizer is 1.
bool hasZeroStage(Framework framework, int stage);

// Whether it also runs it with the scenario's layout: pipelines of DeepSpeed and of Megatron-LM take 0 and 1
// alone, DeepSpeed's experts no 3.
bool runsZeroStage(const Scenario& scenario, int stage);

// Whether conventions.fp8_param_gather says anything there: Megatron-LM's --fp8-param-gather and FSDP's
// enable_fsdp_float8_all_gather, where products are in fp8 and ZeRO gathers their weights.
bool canGatherInFp8(const Scenario& scenario);

} // namespace shardscope

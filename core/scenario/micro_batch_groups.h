#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// Interleaved: so many micro-batches pass a piece of a stage before its next piece has its turn.
// parallel.micro_batch_group, or by default as many as there are stages; PyTorch deals all of them out to
// rounds of at least that, each as large (ScheduleInterleaved1F1B).
std::int64_t microBatchGroup(const Parallel& parallel, Framework framework, std::int64_t micro_batches);
// Whether PyTorch's rounds they are.
bool goInRounds(const Parallel& parallel, Framework framework);
// Whether `micro_batches` can go round so. A last group that is smaller has to fill the stages (Megatron-LM's
// microbatch_group_size_per_vp_stage).
bool fillGroups(const Parallel& parallel, Framework framework, std::int64_t micro_batches);

} // namespace shardscope

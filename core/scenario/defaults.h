#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// What holds where a scenario says nothing. Megatron-LM's arguments, DeepSpeed's configuration, PyTorch's
// FSDP and DDP have different ones; a scenario that names its framework gets that framework's.

// Bytes of one gradient as it is held and summed. Megatron-LM sums bf16 gradients in float (it turns
// accumulate_allreduce_grads_in_fp32 on with --bf16), fp16 ones as they are; DeepSpeed, FSDP and DDP keep the
// precision of the weights.
int defaultGradientBytes(Framework framework, Precision precision);

// Bytes of the copy of a weight that the optimizer works on: a float beside each 16-bit weight, whatever the
// framework; weights in fp32 are their own. Moments are floats by default.
int defaultMasterBytes(Precision precision);
inline constexpr int default_moment_bytes = 4;

// FSDP shards everything (FULL_SHARD, the behaviour of stage 3); the others start with replicas.
int defaultZeroStage(Framework framework);
// PyTorch's context parallelism gathers keys and values unless it is told otherwise (torchtitan's
// context_parallel_rotate_method); others let them go round.
ContextMethod defaultContextMethod(Framework framework);

// Everything in Conventions, for model, training and parallel as they are:
//
// Megatron-LM has one flat buffer, with overlap buckets of max(40 M, 1 M * d) parameters
// (DistributedDataParallelConfig).
//
// DeepSpeed has buckets of 500 M elements (reduce_bucket_size), which stages 1 and 2 all-reduce
// (use_multi_rank_bucket_allreduce); pipeline messages are split over the tensor group.
//
// FSDP has a unit for each layer, reduce-scattered while the backward pass goes on; the root and the last
// layer, which backward needs first, stay gathered.
//
// DDP has buckets of 25 MiB (bucket_cap_mb), reduced while the backward pass goes on.
Conventions defaultConventions(Framework framework, const Model& model, const Training& training,
                               const Parallel& parallel);
// The same for a scenario that says itself whether gradients are reduced during the backward pass.
Conventions defaultConventions(Framework framework, const Model& model, const Training& training,
                               const Parallel& parallel, bool dp_overlap);

// The conventions of a scenario whose model, training and layout are changed: what is as it was by default
// becomes the default there (gradients overlap from ZeRO stage 1 on), what was set to something else stays.
// So does what has nothing to do with the change, whatever a file's default would be: overlap of
// tensor-parallel messages unless sequence_parallel changes, and that of messages between stages.
Conventions conventionsThere(const Scenario& scenario, const Scenario& changed);
// gradient_bytes of a scenario with another framework or number format, likewise; floats have no shorter
// gradients.
int gradientBytesThere(const Scenario& scenario, Framework framework, Precision precision);
// master_bytes of one with another number format, likewise; floats have no copy.
int masterBytesThere(const Training& training, Precision precision);

// Llama and its kin, told by gated MLPs or rotary positions, and hybrid models are trained with fused
// attention (Dao et al. 2022), which keeps no scores; GPT-3 and BLOOM were not.
bool defaultFlashAttention(const Model& model);

// The smallest multiple of micro_batch_size * data that is at least the usual 512.
std::int64_t defaultGlobalBatchSize(std::int64_t micro_batch_size, std::int64_t data);

// 1f1b, or interleaved where stages are split into virtual ones.
Schedule defaultSchedule(std::int64_t virtual_stages);
// 2 for schedules in a V, which have no other number of them, else 1.
std::int64_t defaultVirtualStages(Schedule schedule);

// Heads of 128 where those divide the hidden size, else of 64, else one head.
std::int64_t defaultAttentionHeads(std::int64_t hidden_size);

} // namespace shardscope

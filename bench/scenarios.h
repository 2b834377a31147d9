#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// A GPT with the time model of Li et al.
inline Scenario gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads)
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = layers;
    model.hidden_size = hidden;
    model.attention_heads = heads;
    model.kv_heads = heads;
    model.head_dim = hidden / heads;
    model.ffn_hidden_size = 4 * hidden;
    scenario.time_model = TimeModel::li;
    return scenario;
}

// Li et al. 2024, Table 3: 32 GPUs.
inline Scenario gpt3b()
{
    Scenario scenario = gpt(54, 2000, 40);
    scenario.model.sequence_length = 1024;
    scenario.training.global_batch_size = 1024;
    scenario.training.micro_batch_size = 32;
    scenario.training.recompute = Recompute::full;
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 4;
    return scenario;
}

// 1,024 GPUs: (p, t, d) = (8, 8, 16), interleaved, sequence parallelism.
inline Scenario gpt175b()
{
    Scenario scenario = gpt(96, 12288, 96);
    scenario.training.global_batch_size = 1024;
    scenario.training.micro_batch_size = 1;
    scenario.parallel.pipeline = 8;
    scenario.parallel.tensor = 8;
    scenario.parallel.data = 16;
    scenario.parallel.sequence_parallel = true;
    scenario.parallel.virtual_stages = 3;
    scenario.parallel.schedule = Schedule::interleaved;
    scenario.parallel.zero_stage = 1;
    return scenario;
}

// The same with the detailed time model.
inline Scenario detailed(Scenario scenario)
{
    scenario.time_model = TimeModel::detailed;
    return scenario;
}

// Gradients in DDP's buckets, some thousand, beneath the last backward pass.
inline Scenario inBuckets(Scenario scenario)
{
    scenario.parallel.zero_stage = 0;
    scenario.conventions.framework = Framework::ddp;
    scenario.conventions.dp_overlap = true;
    scenario.conventions.dp_reduction = DpReduction::buckets;
    return scenario;
}

// 128 stages with 4,096 micro-batches each.
inline Scenario millionPasses(Schedule schedule)
{
    Scenario scenario = detailed(gpt(256, 12288, 96));
    scenario.training.global_batch_size = 4096;
    scenario.training.micro_batch_size = 1;
    scenario.parallel.pipeline = 128;
    scenario.parallel.tensor = 8;
    scenario.parallel.schedule = schedule;
    scenario.parallel.virtual_stages = schedule == Schedule::interleaved ? 2 : 1;
    return scenario;
}

// 131,072 GPUs: 16 stages, experts over 64 ranks.
inline Scenario deepSeekV3()
{
    Scenario scenario = gpt(61, 7168, 128);
    Model& model = scenario.model;
    model.head_dim = 128;
    model.ffn_hidden_size = 18432;
    model.gated_mlp = true;
    model.linear_bias = false;
    model.tied_embeddings = false;
    model.vocab_size = 129280;
    model.sequence_length = 4096;
    model.norm = Norm::rmsnorm;
    model.position_embedding = PositionEmbedding::rope;
    model.mla = {1536, 512, 128, 64, 128};
    model.experts.count = 256;
    model.experts.per_token = 8;
    model.experts.ffn_hidden_size = 2048;
    model.experts.every = 1;
    model.experts.first = 3;
    model.experts.shared = 1;
    scenario.training.micro_batch_size = 1;
    scenario.training.global_batch_size = 8192 * 32;
    scenario.parallel.pipeline = 16;
    scenario.parallel.data = 8192;
    scenario.parallel.expert = 64;
    scenario.parallel.zero_stage = 1;
    return scenario;
}

} // namespace shardscope

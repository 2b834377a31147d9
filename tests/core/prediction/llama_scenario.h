#pragma once

#include "core/scenario/scenario.h"

namespace shardscope::test
{

// Llama 3 with its layers cut down, as SimuMax's authors ran Megatron-LM on B200: bf16, fp32 gradients, the
// distributed optimizer, micro-batches of one sequence, nothing recomputed, a fused loss.
inline Scenario llama(std::int64_t layers, std::int64_t hidden, std::int64_t ffn, std::int64_t kv_heads)
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = layers;
    model.hidden_size = hidden;
    model.head_dim = 128;
    model.attention_heads = hidden / 128;
    model.kv_heads = kv_heads;
    model.ffn_hidden_size = ffn;
    model.gated_mlp = true;
    model.vocab_size = 128256;
    model.sequence_length = 4096;
    model.tied_embeddings = false;
    model.position_embedding = PositionEmbedding::rope;
    model.linear_bias = false;
    model.norm = Norm::rmsnorm;
    scenario.training.micro_batch_size = 1;
    scenario.training.flash_attention = true;
    scenario.parallel.zero_stage = 1;
    scenario.cluster.memory_GB = 192.0;
    return scenario;
}

inline Scenario llama70b()
{
    return llama(12, 8192, 28672, 8);
}
inline Scenario llama405b()
{
    return llama(4, 16384, 53248, 16);
}

// Four micro-batches of one sequence for each replica; sequence parallelism with tensor parallelism.
inline Scenario laidOut(Scenario scenario, std::int64_t t, std::int64_t p, std::int64_t d, std::int64_t e = 1)
{
    scenario.parallel.tensor = t;
    scenario.parallel.sequence_parallel = t > 1;
    scenario.parallel.pipeline = p;
    scenario.parallel.data = d;
    scenario.parallel.expert = e;
    scenario.training.global_batch_size = 4 * d;
    return scenario;
}

} // namespace shardscope::test

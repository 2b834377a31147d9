#pragma once

#include "core/scenario/scenario.h"

namespace shardscope
{

// Li et al. 2024, Table 3: a GPT of 3B on 32 GPUs.
inline Scenario gpt3b()
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = 54;
    model.hidden_size = 2000;
    model.attention_heads = 40;
    model.kv_heads = 40;
    model.head_dim = 50;
    model.ffn_hidden_size = 8000;
    model.sequence_length = 1024;
    scenario.training.global_batch_size = 1024;
    scenario.training.micro_batch_size = 32;
    scenario.training.recompute = Recompute::full;
    scenario.training.precision = Precision::fp16;
    scenario.training.gradient_bytes = 2;
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 4;
    return scenario;
}

} // namespace shardscope

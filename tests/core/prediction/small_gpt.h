#pragma once

#include "core/base/resources.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

inline const Presets& presets()
{
    static const Presets loaded = Presets::load(resourcesFolder() / "presets").value();
    return loaded;
}

// 1.7B on 16 GPUs, (p, t, d) = (4, 2, 2).
inline Scenario smallGpt(const Cluster& cluster)
{
    Scenario scenario;
    scenario.model.layers = 24;
    scenario.model.hidden_size = 2304;
    scenario.model.attention_heads = 24;
    scenario.model.kv_heads = 24;
    scenario.model.head_dim = 96;
    scenario.model.ffn_hidden_size = 9216;
    scenario.training.global_batch_size = 64;
    scenario.training.micro_batch_size = 2;
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    scenario.cluster = cluster;
    return scenario;
}

} // namespace shardscope

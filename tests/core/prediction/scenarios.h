#pragma once

#include "core/scenario/scenario.h"

namespace shardscope::test
{

// GPT-3B of Li et al. 2024, Table 3: (l, h, s, gb, b, m) = (54, 2000, 1024, 1024, 32, 8), fp16, full
// recomputation. The heads are not given there; any number that the tensor group divides sends the same.
inline Scenario gpt3b(std::int64_t pipeline, std::int64_t tensor, std::int64_t data)
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
    scenario.training.precision = Precision::fp16;
    scenario.training.gradient_bytes = 2;
    scenario.training.recompute = Recompute::full;
    scenario.parallel.pipeline = pipeline;
    scenario.parallel.tensor = tensor;
    scenario.parallel.data = data;
    scenario.time_model = TimeModel::li;
    scenario.cluster.intra_node = {"pcie3", 15.75, 6.0, BandwidthOf::gpu};
    scenario.cluster.inter_node = {"roce", 12.5, 30.0, BandwidthOf::node};
    return scenario;
}

// The custom mapping of Li et al. 2024: replicas outermost.
inline constexpr RankOrder custom_rank_order{Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp,
                                             Dimension::dp};

} // namespace shardscope::test

#pragma once

#include "core/inference/expert_shapes.h"
#include "core/inference/operator_shapes.h"
#include "core/scenario/scenario.h"

#include <optional>

namespace shardscope
{

// What the operators of one rank tell of the transformer layers that it runs, and of its ends. Sizes that
// tensor parallelism divides are the rank's own part. Counts are of all profiled steps together.
struct LayerShapes {
    std::int64_t hidden_size = 0;
    std::int64_t sequence_length = 0;
    std::int64_t micro_batch_size = 0;
    std::int64_t attention_width = 0; // heads * head_dim
    std::int64_t head_dim = 0;
    std::int64_t kv_width = 0;
    std::int64_t ffn_hidden_size = 0; // 0: every layer has experts and nothing beside them
    std::int64_t vocabulary = 0;      // 0: neither end is here
    bool gated_mlp = false;
    bool linear_bias = false;
    bool fused_attention = false; // scores are never stored
    Norm norm = Norm::rmsnorm;    // nothing shows as an operator
    Precision precision = Precision::fp32;

    // Calls in the backward pass, of what is recomputed there, are left out unless they are named so.
    std::int64_t layer_passes = 0;       // forward passes through a layer
    std::int64_t layer_passes_again = 0; // of its attention, within the backward pass
    std::int64_t mlp_passes =
        0; // through an MLP that is no routed expert: a dense layer's, or shared experts
    std::int64_t embeddings = 0; // calls of the embedding of words
    std::int64_t heads = 0;      // calls of the output layer
    std::int64_t norms = 0;
    std::int64_t norms_repeated = 0;
    std::int64_t norms_backward = 0;
    std::int64_t norm_tokens = 0; // of one call; fewer than the layers' with sequence parallelism
    std::optional<ExpertShapes> experts;
    std::int64_t tokens() const { return sequence_length * micro_batch_size; }
    // Full recomputation: of a layer's norms all but the one before the output layer run again.
    bool repeatsLayers() const { return norms_backward > 0 && 2 * norms_repeated >= norms_backward; }
    // Of the layers that so many micro-batches pass, those that run again, where not all do; else 0.
    std::int64_t someLayersAgain(std::int64_t micro_batches) const
    {
        const std::int64_t again = layer_passes_again / micro_batches;
        return again < layer_passes / micro_batches ? again : 0;
    }
};

// The operators that layerShapes() looks at.
std::vector<std::string_view> layerOperators();

// Of a model whose layers are products with weights: queries, keys and values of any number of
// heads, an output projection, an MLP. Nothing: the operators show no such layers.
std::optional<LayerShapes> layerShapes(const std::vector<OperatorShape>& operators);

} // namespace shardscope

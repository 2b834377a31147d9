#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/layers_by_sort.h"

#include <cstdint>

namespace shardscope
{

// What the layers of a scenario are like where memory, time, operations and messages have to agree.

// Of a layer of the model, an encoder's first; those behind its last are modules of multi-token prediction.
LayerSort layerSort(const Model& model, std::int64_t layer);
// Of modules of multi-token prediction.
LayerSort moduleSort(const Model& model);

// Width of all heads in the two products of attention, queries with keys and scores with values; latent
// attention has heads of its own widths (DeepSeek-AI 2024, DeepSeek-V2, section 2.1).
std::int64_t attentionProductWidth(const Model& model);
// Of what the output projection takes in, all heads together.
std::int64_t attentionOutputWidth(const Model& model);
// Of the MLP that a token passes through, of all experts that it goes to, or 0.
std::int64_t mlpWidth(const Model& model, LayerForm form);
// The same as it is computed: with IterationFigures::expert_rows.
std::int64_t computedMlpWidth(const IterationFigures& figures, LayerForm form);

// Ranks that a tensor group can have at most: each has a head of attention, and of a recurrence.
std::int64_t mostTensor(const Model& model);
// Layers of the model, as many as make its blocks two each: what formulas of layers count that know no
// others.
double layersOfTwoBlocks(const Model& model);

// Tensors of a layer's parameters, in the mean of the layers: four products (queries, keys and values are
// one, as is a gate with what it opens), their biases, and norms; of a recurrence two products and what is
// not one.
double layerTensors(const Model& model);

// Tokens attend to those after them too: BERT, and an encoder's layers.
bool looksBothWays(const Model& model);
// Of the scores that causal attention looks at, those within the layers' sliding windows: the mean of the
// layers, 1 without windows.
double shareInWindows(const Model& model);
// GPT-2, GPT-3 and their kin, which learn their positions and have biases, drop out; later models do not.
bool dropsOut(const Model& model);

// PyTorch's selective checkpoints (torchtitan's "op", with FSDP) keep the attention and every second product,
// where Megatron-LM's compute the attention again and nothing else (Korthikanti et al. 2022).
bool checkpointsOperators(const Scenario& scenario);
// Context parallelism that leaves queries where they are knows fused kernels alone, whether keys and values
// go round or are gathered (Transformer Engine, torch.distributed.tensor.experimental).
bool worksInBlocks(const Parallel& parallel);
// Kernels that fuse attention store no scores.
bool storesScores(const Scenario& scenario);
// PyTorch's routers (torchtitan) see the tokens of a whole tensor group, Megatron-LM's each rank's shard.
bool gathersForRouters(const Scenario& scenario);
// Megatron-LM multiplies by the projections down on every tensor rank, on its own tokens where they are
// split; what the ranks exchange are the latents, and the part of the keys that rotates
// (MLASelfAttention.get_query_key_value_tensors). Others exchange the activation, as for any attention.
bool exchangesLatents(const Scenario& scenario);
// In fp8 and fp4 Transformer Engine's products, Megatron-LM's, keep what they read in that format; PyTorch's
// keep it in 16 bits and cast it again.
bool keepsQuantized(const Scenario& scenario);
// Whether a head's numbers fill whole steps of 16 bytes: else the products of stored scores miss the matrix
// units.
bool hasAlignedHeads(const Scenario& scenario);
// The largest power of two, 16 at most, whose bytes divide a row of one rank's logits: products work in steps
// of 16.
std::int64_t logitStepBytes(const Scenario& scenario);

} // namespace shardscope

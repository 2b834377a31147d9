#pragma once

#include "core/prediction/model/layers_by_sort.h"
#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// How many ranks share one layer: the tensor group splits its matrices, the expert group its routed experts,
// and so many ranks each of these.
struct Shards {
    std::int64_t tensor = 1;
    std::int64_t expert = 1;
    std::int64_t expert_tensor = 1;
};

// Parameters of one layer that one rank holds.
struct LayerParameters {
    std::int64_t sharded = 0; // its share of the matrices that the tensor group splits, and of their biases
    std::int64_t replicated = 0; // whole on every tensor rank: norms, row-parallel biases, the router
    std::int64_t untrained = 0;  // routing biases: held, but without a gradient
    std::int64_t routed = 0;     // of the routed experts that it holds; they have replicas of their own
    // Of dense() and of routed, weights of products: all but norms, biases, the router and gates.
    std::int64_t dense_products = 0;
    std::int64_t routed_products = 0;

    std::int64_t dense() const { return sharded + replicated; }
    std::int64_t total() const { return sharded + replicated + untrained + routed; }
    void add(const LayerParameters& part);
};

bool hasExperts(const Model& model);
// Of a layer of the decoder: as the pattern says, or with experts in layers first, first + every, ... Those
// of multi-token prediction, which follow the model's own, are like its last, and of a pattern's model have
// attention, and experts where the pattern has.
LayerForm layerForm(const Model& model, std::int64_t layer);
// Of the decoder, without those of multi-token prediction.
LayersByForm<std::int64_t> layersByForm(const Model& model);
// With them, and with an encoder's.
LayersBySort layersBySort(const Model& model);

// Narayanan et al. 2021, Eq. 2 for GPT; Llama: 2ha dh + 2hk dh + 3hf + 2h; multi-head latent attention as in
// DeepSeek-V2; recurrences: recurrenceParameters().
LayerParameters layerParameters(const Model& model, LayerForm form, Shards shards);
// What a layer of a decoder has more than one of its encoder: attention to the encoder's output, and its
// norm.
LayerParameters crossAttentionParameters(const Model& model, std::int64_t tensor);
// What a module of multi-token prediction has beside its layer (DeepSeek-V3, section 2.2; Megatron-Core's
// MultiTokenPredictionLayer): a norm of each of its two inputs, their projection from 2h to h, without a bias
// and split by columns, and a final norm of its own. The embedding's table and the head are the model's.
LayerParameters mtpExtraParameters(const Model& model, std::int64_t tensor);
// Norms of a layer: norms_per_layer are those of two blocks.
std::int64_t normsOf(const Model& model, LayerForm form);
// One routed expert on one of the ranks that split it.
std::int64_t expertParameters(const Model& model, std::int64_t expert_tensor);
// The norm of queries or of keys: one for all heads, over head_dim.
std::int64_t headNormParameters(const Model& model);
// On one rank of its tensor group. A trained table of the longest sequence, whole on every rank; T5's
// relative positions are a number for each of 32 distances and each head, once for each stack of layers.
std::int64_t positionParameters(const Model& model, std::int64_t tensor);
// Token types and the norm of the embeddings.
std::int64_t embeddingExtraParameters(const Model& model);
// The decoder's, and the encoder's where there is one.
std::int64_t finalNormParameters(const Model& model);
// BERT's output head (Devlin et al. 2019): a product and a norm before the words' logits, which have a bias;
// the pooler and the two logits of the next sentence. 0 for other models.
std::int64_t headTransformParameters(const Model& model);
std::int64_t sentenceHeadParameters(const Model& model);

// The output has a bias: one number for each word.
bool hasHeadBias(const Model& model);
// The vocabulary as it is held: a multiple of vocab_padding * tensor.
std::int64_t paddedVocabulary(const Model& model, std::int64_t tensor);

// Of the whole model with the vocabulary as it is; active: what one token passes through. Multi-token
// prediction included, but for the tables that it shares.
struct ModelParameters {
    std::int64_t total = 0;
    std::int64_t active = 0;
};
ModelParameters countParameters(const Model& model);

} // namespace shardscope

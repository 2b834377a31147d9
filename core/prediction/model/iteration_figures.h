#pragma once

#include "core/collectives/collective.h"
#include "core/prediction/model/model_parameters.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace shardscope
{

// What all stages of a scenario have in common, worked out once. Sizes are those of one rank.
struct IterationFigures {
    explicit IterationFigures(const Scenario& scenario);
    IterationFigures(Scenario&&) = delete;

    const Scenario& scenario;
    std::int64_t micro_batches = 0;
    // Micro-batches that pass each layer of a stage: half of them with dualpipe, which feeds the pipeline
    // from both ends.
    std::int64_t passes = 0;
    std::int64_t tokens = 0;              // of one micro-batch: b * s / c
    std::int64_t activation_elements = 0; // tokens * h
    std::int64_t activation_bytes = 0;    // of the tensor that layers hand on
    Dtype activation_dtype = Dtype::fp16;
    Dtype gradient_dtype = Dtype::fp32; // as it is reduced

    std::int64_t encoder_tokens = 0; // of one micro-batch in the encoder
    std::int64_t encoder_bytes = 0;  // of the tensor that its layers hand on

    // Of the decoder's forms that the model has; with the attention to an encoder.
    std::array<LayerParameters, layer_form_count> layers;
    LayerParameters encoder_layer;
    LayerParameters mtp_extra;       // of a module of multi-token prediction, beside its layer
    LayerParameters mtp_module;      // with its layer
    std::int64_t word_embedding = 0; // its share of the padded vocabulary, times h
    std::int64_t positions = 0;
    std::int64_t embedding_extras = 0; // token types, norm
    std::int64_t final_norm = 0;
    std::int64_t head_extras = 0; // BERT's: between the last layer and the logits, and beside them

    // What the fullest place of an expert group sends and receives, over the mean: all wait for it.
    double busiest_load = 1.0;
    // What a token passes through of the routed experts, in rows that they compute: with a fixed capacity
    // every slot, with uneven routing those of the rank that gets most.
    double expert_rows = 0.0;

    int tensor = 1;
    int context = 1;
    int expert = 1;
    int expert_tensor = 1; // ranks that split one routed expert
    // Routed experts have replicas of their own, others than the rest of a layer.
    bool experts_apart = false;
    int data_group = 1;        // ranks that reduce gradients together: data * context
    int expert_data_group = 1; // those that hold the same experts

    // Whether others hold the same parameters, so that gradients are summed and states can be shared out: of
    // all, or of routed experts alone.
    bool hasReplicas() const
    {
        return data_group > 1 || (scenario.model.hasExpertLayers() && expert_data_group > 1);
    }

    bool mirrored = false; // stages hold the layers of their mirror image too (dualpipe)

    const LayerParameters& layer(LayerForm form) const { return layers[static_cast<std::size_t>(form)]; }
    // Pieces of the model that each stage holds.
    std::int64_t chunks() const { return mirrored ? 2 : scenario.parallel.virtual_stages; }
    bool pipelined() const { return scenario.parallel.pipeline > 1; }
    // From ZeRO stage 2 on gradients are reduced, and kept in parts, micro-batch by micro-batch.
    bool reducesEachMicroBatch() const
    {
        return scenario.parallel.zero_stage > 1
               && (scenario.conventions.reduce_each_micro_batch || passes == 1);
    }
    // With the pipeline the first and the last stage each hold the tied embedding, or the last one a copy for
    // multi-token prediction, whose gradients Megatron-Core sums just so (_allreduce_word_embedding_grads);
    // mirrored ones, and the first of a V, hold both ends.
    bool embeddingsAreSynchronised() const
    {
        return (scenario.model.tied_embeddings || scenario.model.mtp_layers > 0) && pipelined() && !mirrored
               && !isVShaped(scenario.parallel.schedule);
    }

private:
    void takeParameters();
};

// The format that activations and weights travel in. fp8 is a format of products: between them 16 bits are
// sent.
Dtype activationDtype(Precision precision);

} // namespace shardscope

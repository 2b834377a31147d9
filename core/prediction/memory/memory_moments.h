#pragma once

#include "core/prediction/memory/memory_terms.h"
#include "core/prediction/model/stage_layout.h"

#include <cstdint>
#include <string_view>

namespace shardscope
{

// With full recomputation, while its backward pass runs.
inline constexpr std::string_view recomputed_layer = "the recomputed layer";
inline constexpr std::string_view recomputed_modules = "what a layer computes again";

// What a stage holds for a moment beyond its states and the activations that wait: the layer that was worked
// out again, or the logits (`kept`), and tensors that the backward pass makes and drops (`passing`).
struct MemoryMoment {
    std::string_view when; // a literal: "the backward pass enters a layer"
    MemoryTerm kept;
    MemoryTerms passing;
    // Logits of multi-token prediction, whose backward pass follows that of the next token's: kept too.
    MemoryTerm further{};
    LayerForm form = LayerForm::attention_mlp; // of the layer that it enters

    std::int64_t keptBytes() const { return kept.bytes() + further.bytes(); }
    std::int64_t totalBytes() const { return keptBytes() + passing.bytes(); }
};

// True where products add weight gradients to their fp32 sum themselves (Megatron-LM's
// gradient_accumulation_fusion), so that no 16-bit gradient is kept.
bool sumsGradientsInProducts(const Scenario& scenario);

// Of a layer on one rank, what ZeRO's replicas share out: experts without replicas are whole anyway.
std::int64_t sharedOutParameters(const IterationFigures& figures, LayerForm form);

// The fullest moment at which the backward pass enters a layer.
MemoryMoment fullestLayerMoment(const IterationFigures& figures, const StageShape& shape);

// The fullest of four moments: the backward pass enters its first layer; it leaves the loss, and the head
// (last stage); it reaches the embedding (first stage; with multi-token prediction the last one too).
MemoryMoment fullestMoment(const IterationFigures& figures, const StageShape& shape);

} // namespace shardscope

#pragma once

#include "core/prediction/stage_layout.h"

#include <cstdint>

namespace shardscope
{

// Bytes that one layer keeps of one micro-batch on one rank until its backward pass. Korthikanti et al. 2022,
// Table 2, for a GPT with dropout: none sbh(10 + 24/t + 5as/(ht)); models with gated MLPs train without
// dropout.
std::int64_t layerActivationBytes(const IterationFigures& figures, bool moe, Recompute recompute);

// Micro-batches whose activations a stage holds at its fullest, in chunks: a micro-batch has one for each
// virtual stage.
std::int64_t chunksInFlight(const Scenario& scenario, int stage);

// All of a stage's activations at its fullest: layers, the embedding's dropout mask, final norm, head and
// logits.
std::int64_t stageActivationBytes(const IterationFigures& figures, const StageShape& shape);

} // namespace shardscope

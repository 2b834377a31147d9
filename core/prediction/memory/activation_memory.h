#pragma once

#include "core/prediction/model/stage_layout.h"

#include <cstdint>

namespace shardscope
{

// Bytes that one layer keeps of one micro-batch on one rank until its backward pass. Korthikanti et al. 2022,
// Table 2, for a GPT with dropout: none sbh(10 + 24/t + 5as/(ht)); models that do not learn positions train
// without dropout.
std::int64_t layerActivationBytes(const IterationFigures& figures, bool moe, Recompute recompute);

// Of all layers of a stage, one micro-batch; an encoder's and its output included.
std::int64_t stageActivationBytes(const IterationFigures& figures, const StageShape& shape,
                                  Recompute recompute);

// What the weight gradients wait with that zb-h1 and zb-h2 put off, at the stage's fullest. 0 for others.
std::int64_t putOffGradientBytes(const IterationFigures& figures, const StageShape& shape);

// The tensor that layers hand on, as a rank keeps it: with sequence parallelism its part.
std::int64_t keptTensorBytes(const IterationFigures& figures);

// Micro-batches whose activations a stage holds at its fullest, in chunks: a micro-batch has one for each
// virtual stage.
std::int64_t chunksInFlight(const Scenario& scenario, int stage);

// What waits for its backward pass when a stage is at its fullest: layers, weight gradients that were put
// off, the embedding's dropout mask, what the final norm and the head were given. Not the logits of the
// micro-batch at work.
std::int64_t keptActivationBytes(const IterationFigures& figures, const StageShape& shape);

// The logits of one micro-batch on one rank, as the loss keeps them: 16 bits where it works in place, else an
// fp32 copy (Korthikanti et al. 2022, section 4.3).
std::int64_t logitsBytes(const IterationFigures& figures);

} // namespace shardscope

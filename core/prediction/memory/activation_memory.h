#pragma once

#include "core/prediction/memory/memory_terms.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/model/stage_layout.h"

#include <algorithm>
#include <cstdint>

namespace shardscope
{

// Bytes that one layer keeps of one micro-batch on one rank until its backward pass. Korthikanti et al. 2022,
// Table 2, for a GPT with dropout: none sbh(10 + 24/t + 5as/(ht)); models that dropsOut() does not name train
// without.
std::int64_t layerActivationBytes(const IterationFigures& figures, LayerForm form, const Repeats& repeats);

// Of that what its attention to an encoder keeps; 0 without one.
std::int64_t crossAttentionBytes(const IterationFigures& figures, LayerForm form, const Repeats& repeats);

// The same for a layer of the encoder; of one that is computed again whole, the tensor that its layers hand
// on.
std::int64_t encoderLayerBytes(const IterationFigures& figures, const Repeats& repeats);

// Of a stage's layers of the decoder, with those of multi-token prediction, one micro-batch.
std::int64_t decoderActivationBytes(const IterationFigures& figures, const StageShape& shape);

// Of all layers of a stage, one micro-batch; an encoder's and its output included.
std::int64_t stageActivationBytes(const IterationFigures& figures, const StageShape& shape);

// What the modules of multi-token prediction keep of one micro-batch, each, beside its layer: what its two
// norms and its projection read; computed again whole with the layer, its second input.
std::int64_t mtpInputBytes(const IterationFigures& figures, const StageShape& shape);

// What the weight gradients of one layer wait with, of one micro-batch.
std::int64_t weightGradientWaitBytes(const IterationFigures& figures, LayerForm form);
// The same of the projection of a module of multi-token prediction.
std::int64_t mtpGradientWaitBytes(const IterationFigures& figures);

// What the weight gradients wait with that are put off, at the stage's fullest: with zb-h1 and zb-h2 so many
// as fill the time, and no more than fit into what the first stage needs beyond this one, which is `room`
// times what a micro-batch keeps; in a V what of them recomputation has not kept. None with other schedules.
struct PutOffGradients {
    std::int64_t count = 0;
    std::int64_t each_bytes = 0;
    std::int64_t room = 0;
    std::int64_t kept_bytes = 0;

    std::int64_t bytes() const { return std::min(count * each_bytes, room * kept_bytes); }
};
PutOffGradients putOffGradients(const IterationFigures& figures, const StageShape& shape);

// The tensor that layers hand on, as a rank keeps it: with sequence parallelism its part.
std::int64_t keptTensorBytes(const IterationFigures& figures);

// Micro-batches whose activations a stage holds at its fullest, in chunks: a micro-batch has one for each
// virtual stage. In a V those that wait for their weight gradients are taken for whole.
std::int64_t chunksInFlight(const Scenario& scenario, int stage);

inline constexpr std::string_view layers_of_stage = "layers of the stage";
inline constexpr std::string_view put_off_gradients = "put-off weight gradients";
// What waits for its backward pass when a stage is at its fullest: layers (the first term), weight gradients
// that were put off, the embedding's dropout mask, what the final norm and the head were given. Not the
// logits of the micro-batch at work.
MemoryTerms keptActivations(const IterationFigures& figures, const StageShape& shape);

// The logits of one micro-batch on one rank, as the loss keeps them: 16 bits where it works in place, else an
// fp32 copy (Korthikanti et al. 2022, section 4.3).
std::int64_t logitsBytes(const IterationFigures& figures);

} // namespace shardscope

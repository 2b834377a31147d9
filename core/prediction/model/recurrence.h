#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/model_parameters.h"
#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// Numbers of one token in a recurrence, on one of the tensor ranks that share its heads and groups out.
struct RecurrenceWidths {
    std::int64_t values = 0;   // of all heads; as wide is the gate on what the recurrence returns
    std::int64_t keys = 0;     // of all groups; queries are as wide
    std::int64_t per_head = 0; // how far a head's state decays, and how strongly it is written to

    // What the input projection returns: values, gate, keys, queries, a few numbers a head.
    std::int64_t projected() const { return 2 * values + 2 * keys + per_head; }
    // What passes the convolution.
    std::int64_t convolved() const { return values + 2 * keys; }
};
RecurrenceWidths recurrenceWidths(const Model& model, std::int64_t tensor);

// Mamba-2 as Megatron-Core's MambaMixer and transformers' Mamba2Mixer have it, without norms before it: both
// projections, the convolution with a bias, three numbers a head, and a norm over the values; gated delta
// rule as Qwen3NextGatedDeltaNet has it: the convolution has no bias, heads two numbers, and one norm is all
// heads'. Neither projection has a bias.
LayerParameters recurrenceParameters(const Model& model, std::int64_t tensor);

// Weights of both projections, that every token is multiplied with.
double recurrenceWeights(const Model& model);

// Tokens of a chunk, in which kernels work on all pairs: Megatron-Core's for Mamba-2, and
// flash-linear-attention's for delta rules.
std::int64_t recurrenceChunk(const Recurrence& recurrence);
// Numbers of the states between the chunks of one micro-batch on one rank.
std::int64_t recurrenceStates(const IterationFigures& figures);

// Operations of one token in the recurrence itself, forward, as Megatron-LM counts them
// (num_floating_point_operations): 7 for each number of Mamba-2's state, 8 for the gated delta rule, whose
// state is read and written twice. Without the convolution.
double recurrenceFlops(const Model& model);

} // namespace shardscope

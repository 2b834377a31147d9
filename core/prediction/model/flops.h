#pragma once

#include "core/base/quantity.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// Operations of one forward pass of one sequence through the whole model: two for each multiply-add, products
// of matrices alone. Narayanan et al. 2021, appendix, for any width, number of heads, and experts in use.
// Multi-token prediction counts as in Megatron-LM's num_floating_point_operations: a layer, a projection and
// logits more for each module.
struct ForwardFlops {
    double layers = 0.0;     // projections, MLPs, experts, routers
    double attention = 0.0;  // scores and their product with the values; half when only the past is counted
    double recurrence = 0.0; // recurrenceFlops()
    double logits = 0.0;
};
ForwardFlops forwardFlops(const Model& model, bool causal);

// Weights of one layer that every token is multiplied with.
struct ProductWeights {
    double projections = 0.0; // to queries, keys and values, and back from the heads
    double mlp = 0.0;         // of a layer without experts
    double experts = 0.0;     // of a layer with them: those that a token goes to, shared ones and the router
    double recurrence = 0.0;  // to its values, gate, keys and queries, and back
};
ProductWeights productWeights(const Model& model);

// Of one sequence, what recomputation repeats of a forward pass: all or some layers (full), the attention or
// other modules or, with FSDP, every second product (selective), never the logits.
double repeatedFlops(const Scenario& scenario);

// Of the model's layers, those that are computed again whole: 0 to 1.
double shareAgain(const Scenario& scenario);

// Of one iteration: backward costs twice the forward pass, and what is repeated comes to the hardware's.
FlopCount countFlops(const Scenario& scenario);

// Tokens that an iteration takes in; of a list of parameters, which knows none, samples.
double tokensOfIteration(const Scenario& scenario);

// Operations a second that one GPU could do at most, which utilisation is counted against: peak_tflops, twice
// that in fp8 where the GPU has it.
FlopsPerSecond densePeak(const Scenario& scenario);
// The same of products in the scenario's number format: Li et al.'s F.
FlopsPerSecond formatPeak(const Scenario& scenario);
// How much faster than at the 16-bit peak products in a format are.
double formatSpeedup(const ComputeLaw& law, Precision precision);
// Whether products in fp32 are taken as those of TF32, which has half the 16-bit rate; plain fp32 has a
// quarter at most.
bool takesTf32(const Cluster& cluster);

} // namespace shardscope

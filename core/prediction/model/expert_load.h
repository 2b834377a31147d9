#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/prediction.h"

#include <vector>

namespace shardscope
{

// Share of the routed tokens that each expert receives: proportional to (j + 1)^-skew for expert j, which is
// Zipf's law at 1 and even at 0. Each token picks an expert once, so none gets more than 1 /
// choicesPerToken().
std::vector<double> expertShares(const Experts& experts);

// What each place of an expert group receives, over the mean: it holds count / expert neighbours. Whole
// tokens, with sum equal to the number of places. Empty while all receive the same: even routing, or fixed
// slots.
std::vector<double> expertLoads(const Scenario& scenario);

// The greatest of them, 1 where all are alike; IterationFigures::busiest_load holds it.
double busiestLoad(const IterationFigures& figures);

// True for messages whose size follows what the rank's own experts receive.
bool followsLoad(const Scenario& scenario, const Message& message);

} // namespace shardscope

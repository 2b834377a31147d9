#pragma once

#include "core/prediction/model/iteration_figures.h"

#include <cstdint>

namespace shardscope
{

// Experts that a token goes to, on average: per_token, but one where the others count for nothing.
double choicesPerToken(const Experts& experts);

// Tokens that one rank hands to its expert group in one MoE layer and micro-batch, each as often as it has
// experts. Fixed capacity sends every slot, filled or not; without it the sizes follow the routing, here an
// even one.
struct ExpertRouting {
    explicit ExpertRouting(const IterationFigures& figures);

    bool sizes_are_fixed = false;
    std::int64_t slots = 0;
    std::int64_t bytes = 0;  // slots * h
    std::int64_t tokens = 0; // that the slots are of
    double rowsPerToken() const { return static_cast<double>(slots) / static_cast<double>(tokens); }
};

} // namespace shardscope

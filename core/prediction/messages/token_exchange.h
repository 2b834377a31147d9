#pragma once

#include "core/prediction/model/iteration_figures.h"

#include <cstdint>

namespace shardscope
{

// What a rank hands to its expert group in one MoE layer and micro-batch.
struct TokenExchange {
    explicit TokenExchange(const IterationFigures& figures);

    std::int64_t rows = 0;         // tokens, each as often as it is copied
    std::int64_t bytes_of_row = 0; // on the way to the experts
    std::int64_t bytes_back = 0;   // of a row that comes from them
    bool counts_first = false;     // ranks tell each other how many rows come
    std::int64_t dispatchBytes() const { return rows * bytes_of_row; }
    std::int64_t combineBytes() const { return rows * bytes_back; }
};

} // namespace shardscope

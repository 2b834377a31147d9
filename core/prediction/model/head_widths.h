#pragma once

#include "core/prediction/model/iteration_figures.h"

#include <cstdint>

namespace shardscope
{

// Numbers of one token on one tensor rank, as they go into attention and come out.
struct HeadWidths {
    std::int64_t query = 0;
    std::int64_t key = 0;
    std::int64_t value = 0;
    std::int64_t output = 0;
};

// Every rank has at least `least_key_heads` heads of keys and values. Latent attention works on keys and
// values of all heads, and keys are wider: part of them rotates.
HeadWidths headWidths(const IterationFigures& figures, std::int64_t least_key_heads = 1);

} // namespace shardscope

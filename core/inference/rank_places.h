#pragma once

#include "core/inference/layer_shapes.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// One rank of a run whose operators were read.
struct RankShapes {
    std::int64_t rank = 0;
    std::int64_t iterations = 1; // that the profiler recorded
    LayerShapes shapes;
};

// Degrees that the sizes of named groups tell; 0: nobody told.
struct DegreesTold {
    std::int64_t pipeline = 0;
    std::int64_t context = 0;
};

// How a run's ranks are laid out, as far as their operators tell.
struct RankPlaces {
    Parallel parallel; // pipeline, tensor, context, data, rank_order, sequence_parallel
    bool all_ranks_read = false;
    std::int64_t first_stage_ranks = 0; // that embed words
};

// Tensor ranks divide the attention's width; ranks of the first stage embed words. Where not every rank was
// read, a rank that embeds and also has the output layer tells that there is one stage; else `told` does.
// What context parallelism divides shows in no shape: only `told` knows of it.
RankPlaces placesOf(const std::vector<RankShapes>& ranks, std::int64_t world_size, const DegreesTold& told);

} // namespace shardscope

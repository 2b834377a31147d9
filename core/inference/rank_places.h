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

// What tells the number of pipeline stages.
enum class StagesFrom : std::uint8_t {
    both_ends,   // one rank embeds words and has the output layer
    first_stage, // all ranks were read: so many of them embed words
    group_size,  // of the groups for it
    only_fit,    // no other number fits the ranks read
    fits,        // nothing; others fit them too
    messages     // of several that fit the ranks read, the one that sends what was recorded
};

// How a run's ranks are laid out, as far as their operators tell.
struct RankPlaces {
    Parallel parallel; // pipeline, tensor, context, data, rank_order, sequence_parallel
    bool all_ranks_read = false;
    std::int64_t first_stage_ranks = 0; // that embed words
    StagesFrom stages_from = StagesFrom::fits;
    std::vector<RankOrder> other_orders; // that fit the ranks read as well as parallel.rank_order does

    bool knowsStages() const { return stages_from != StagesFrom::fits; }
};

// Tensor ranks divide the attention's width; ranks of the first stage embed words. Where not every rank was
// read, a rank that embeds and also has the output layer tells that there is one stage; else `told` does;
// else there is an answer for each number of stages in which the ranks with an end of the model stand at that
// end. What context parallelism divides shows in no shape: only `told` knows of it.
std::vector<RankPlaces> placesOf(const std::vector<RankShapes>& ranks, std::int64_t world_size,
                                 const DegreesTold& told);

} // namespace shardscope

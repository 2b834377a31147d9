#pragma once

#include "core/scenario/scenario.h"

#include <cstddef>

namespace shardscope
{

// The virtual stages that a micro-batch passes, counted from the model's input: which stage each place of
// that chain stands on. Either around the ring of stages, or in a V: down all stages and back up.
struct PipelineChain {
    int stages = 1;
    bool v_shaped = false;

    explicit PipelineChain(const Parallel& parallel)
        : stages{static_cast<int>(parallel.pipeline)}, v_shaped{isVShaped(parallel.schedule)}
    {
    }
    constexpr PipelineChain(int stage_count, bool in_v) : stages{stage_count}, v_shaped{in_v} {}

    // The stage's virtual stage of that number, 0 the nearest to the model's input.
    constexpr int place(int chunk, int stage) const
    {
        return chunk * stages + (goesBack(chunk) ? stages - 1 - stage : stage);
    }
    constexpr int stageAt(int place) const
    {
        const int along = place % stages;
        return goesBack(place / stages) ? stages - 1 - along : along;
    }
    // Whether the way through these virtual stages leads from the last stage to the first.
    constexpr bool goesBack(int chunk) const { return v_shaped && chunk % 2 == 1; }

    // The link between a place and the next one, counted by the stage behind which it lies: the last one's
    // leads back to the first. None, which is -1, where a V turns: both places are the last stage's.
    constexpr int linkBehind(int place) const
    {
        const int along = place % stages;
        if (v_shaped && along == stages - 1)
            return -1;
        return goesBack(place / stages) ? stages - 2 - along : along;
    }
};

} // namespace shardscope

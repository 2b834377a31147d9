#pragma once

#include "core/prediction/time/pipeline_simulation.h"

#include <vector>

namespace shardscope
{

// What playPipeline() finds a stage at least to take, without playing the schedule.
struct StageAtLeast {
    double through_s = 0.0;  // until it has run its last task and sent its last message
    double pipeline_s = 0.0; // until the stages before it are through, too
};

// Of every stage: its own work, what has to happen before a micro-batch can reach it, and what has to happen
// behind its last task. Costs grow with the chunks alone, however many micro-batches pass them.
std::vector<StageAtLeast> pipelineAtLeast(const PipelineWork& work);

} // namespace shardscope

#pragma once

#include "core/prediction/prediction.h"
#include "core/prediction/time/task_order.h"

#include <vector>

namespace shardscope
{

// Seconds that one chunk of one stage works on one micro-batch. backward_s is both gradients together;
// weight_gradient_s is the part of it that schedules with split backwards may put off.
struct ChunkDuration {
    double forward_s = 0.0;
    double backward_s = 0.0;
    double weight_gradient_s = 0.0;
};

// What the event simulation of one iteration's pipeline needs.
struct PipelineWork {
    PipelineShape shape;
    std::vector<ChunkDuration> chunks; // in the model's order, that of PipelineChain
    std::vector<double> message_s; // from stage s to s + 1 (the last one's: back to the first), either way
    bool sender_waits = false;     // a stage does not go on before its message has arrived
};

// A task as it ran.
struct PlayedTask {
    PipelineTask task;
    int stage = 0;
    double start_s = 0.0;
    double end_s = 0.0;
    // Of the idle time before it: why, and for how long a message was on its way.
    IdleCause idle = IdleCause::fill;
    double message_s = 0.0;
};

// One iteration's pipeline as it was played.
struct PipelineRun {
    // From the first task to the last; with zb-h2 and zb-v, whose stages need not wait for one another
    // between iterations (Qi et al. 2024, Sec. 4), the longest that any stage is at work.
    double duration_s = 0.0;
    std::vector<StageUse> stages;
    std::vector<PlayedTask> tasks; // by stage, then in order; empty unless recorded
};

// Whether the schedule's stages need not wait for one another between iterations.
bool runsFreely(Schedule schedule);

// Plays the schedule: a task starts as soon as its stage is free and what it depends on has arrived. A
// forward needs the previous chunk's forward, a backward the next chunk's backward, of the same micro-batch.
// With zb-h1, zb-h2 and in a V a weight gradient runs where its stage would wait for at least half as long,
// before a forward if too many were put off, or in the end (after the heuristic of Qi et al. 2024, Sec. 3.1).
// Costs grow with the number of tasks.
PipelineRun playPipeline(const PipelineWork& work, bool record_tasks);

} // namespace shardscope

#pragma once

#include "core/prediction/model/pipeline_chain.h"

#include <cstdint>

namespace shardscope
{

// A piece of work of one pipeline stage for one micro-batch.
enum class TaskKind : std::uint8_t { forward, backward, weight_gradient };

// One of the tasks, in the order of a TaskSequence.
struct PipelineTask {
    TaskKind kind = TaskKind::forward;
    bool reversed = false; // dualpipe: of a micro-batch that enters at the last stage
    bool paired = false;   // dualpipe: a forward that runs interwoven with the next task
    bool whole = true; // a backward of both gradients; else of the input's alone, the weights' comes later
    std::uint16_t chunk = 0; // of the stage's virtual stages; 0 is nearest to the model's input
    std::int32_t micro_batch = 0;
    bool operator==(const PipelineTask&) const = default;
};

// What decides the order of tasks.
struct PipelineShape {
    Schedule schedule = Schedule::one_f_one_b;
    int stages = 1;
    int virtual_stages = 1;
    int micro_batches = 1;
    int group = 0; // interleaved: micro-batches that pass a chunk before the next; 0: as many as stages

    constexpr int groupSize() const { return group > 0 ? group : stages; }
    constexpr PipelineChain chain() const { return {stages, isVShaped(schedule)}; }
};

// Where a stage's task stands in the chain of virtual stages that its micro-batch passes, counted from the
// end at which that enters.
constexpr int placeOf(const PipelineTask& task, int stage, const PipelineChain& chain)
{
    return task.reversed ? chain.stages - 1 - stage : chain.place(task.chunk, stage);
}

// The link over which a forward or backward hands on its result, activations to the next place and gradients
// to the one before; -1: it stays on its stage. Pre: there is such a place.
constexpr int linkOf(const PipelineTask& task, int place, const PipelineChain& chain)
{
    const int behind = task.kind == TaskKind::forward ? place : place - 1;
    return task.reversed ? chain.stages - 2 - behind : chain.linkBehind(behind);
}

} // namespace shardscope

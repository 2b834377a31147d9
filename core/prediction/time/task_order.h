#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

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
};

// Where a stage's task stands in the chain of virtual stages that its micro-batch passes, counted from the
// end at which that enters.
constexpr int placeOf(const PipelineTask& task, int stage, int stages)
{
    return task.chunk * stages + (task.reversed ? stages - 1 - stage : stage);
}

// Links are counted by the stage behind which they lie, the last one's leads back to the first; they carry
// messages either way. Here: the one behind a place of the chain, as a micro-batch of this direction counts.
constexpr int linkBehind(int place, int stages, bool reversed)
{
    const int behind = place % stages;
    return reversed ? stages - 2 - behind : behind;
}

// The link over which a forward or backward hands on its result, activations to the next place and gradients
// to the one before. Pre: there is such a place.
constexpr int linkOf(const PipelineTask& task, int place, int stages)
{
    return linkBehind(task.kind == TaskKind::forward ? place : place - 1, stages, task.reversed);
}

// True where backward and weight gradient are tasks of their own.
bool splitsBackward(Schedule schedule);

// How many weight gradients a stage of zb-h1 or zb-h2 may have put off when it begins a forward; 0 for other
// schedules. Half as many again as in Fig. 2 and 3 of Qi et al. 2024: what one keeps, about 0.4 of a
// micro-batch's activations (their appendix), fits into the memory that stage 0 needs.
int weightGradientsPutOff(Schedule schedule, int stage);

// The passes of one kind through a stage, one after the other: micro-batches go round in groups of as many as
// there are stages; a group passes one of the stage's chunks, then the next, ...
class ChunkRound
{
public:
    explicit ChunkRound(const PipelineShape& shape)
        : m_group{shape.stages}, m_chunks{shape.virtual_stages}, m_in_group{-1}
    {
    }

    void toNext()
    {
        if (++m_in_group < m_group)
            return;
        m_in_group = 0;
        if (++m_chunk < m_chunks)
            return;
        m_chunk = 0;
        m_first += m_group;
    }

    int chunk() const { return m_chunk; }
    int microBatch() const { return m_first + m_in_group; }

private:
    int m_group;
    int m_chunks;
    int m_in_group;
    int m_chunk = 0;
    int m_first = 0; // micro-batch of the group
};

// The tasks of one stage in the order in which it runs them. Every micro-batch passes every chunk once in
// each kind; with dualpipe half of them enter at each end. gpipe: all forwards, then all backwards. 1f1b:
// PipeDream-flush (Narayanan et al. 2021, Fig. 4). interleaved: the same over virtual stages (Megatron-LM).
// zb-h1, zb-h2: forwards and backwards as in Fig. 2 and 3 of Qi et al. 2024; where weight gradients run is
// decided as the schedule is played. dualpipe: DeepSeek's, the one order that is written down: all others are
// some forwards, then a forward and a backward in turn, and cost no memory.
class TaskSequence
{
public:
    TaskSequence(const PipelineShape& shape, int stage);

    bool atEnd() const { return m_at_end; }
    // Pre, of both: not at the end.
    const PipelineTask& task() const { return m_task; }
    void toNext() { m_written.empty() ? toNextInTurn() : toNextWritten(); }

    // The one behind a paired task. Pre: task().paired.
    const PipelineTask& partner() const { return m_written[m_next]; }

private:
    void toNextInTurn()
    {
        if (m_forwards_begun < m_passes && m_forwards_begun - m_backwards_begun <= m_most_in_flight) {
            ++m_forwards_begun;
            m_forwards.toNext();
            m_task = {TaskKind::forward,      false, false, true, chunkNumber(m_forwards.chunk()),
                      m_forwards.microBatch()};
        } else if (m_backwards_begun < m_passes) {
            ++m_backwards_begun;
            m_backwards.toNext(); // of which the last chunk is the first
            m_task = {TaskKind::backward,
                      false,
                      false,
                      m_whole,
                      chunkNumber(m_last_chunk - m_backwards.chunk()),
                      m_backwards.microBatch()};
        } else {
            m_at_end = true;
        }
    }
    void toNextWritten()
    {
        m_at_end = m_next == m_written.size();
        if (!m_at_end)
            m_task = m_written[m_next++];
    }
    static std::uint16_t chunkNumber(int chunk) { return static_cast<std::uint16_t>(chunk); }

    PipelineTask m_task;
    bool m_at_end = false;
    int m_passes; // forwards, and backwards as well
    int m_most_in_flight = 0;
    int m_forwards_begun = 0;
    int m_backwards_begun = 0;
    ChunkRound m_forwards;
    ChunkRound m_backwards;
    int m_last_chunk;
    bool m_whole;
    std::vector<PipelineTask> m_written;
    std::size_t m_next = 0; // in it
};

} // namespace shardscope

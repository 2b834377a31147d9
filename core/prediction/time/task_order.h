#pragma once

#include "core/prediction/time/pipeline_task.h"
#include "core/prediction/time/v_shape_order.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// True where backward and weight gradient are tasks of their own.
bool splitsBackward(Schedule schedule);

// How many weight gradients a stage of zb-h1 or zb-h2 may have put off when it begins a forward; 0 for other
// schedules, of which those in a V have mostChunksHeld(). Half as many again as in Fig. 2 and 3 of Qi et al.
// 2024: what one keeps, about 0.4 of a micro-batch's activations (their appendix), fits into the memory that
// stage 0 needs.
int weightGradientsPutOff(Schedule schedule, int stage);

// The passes of one kind through a stage, one after the other: micro-batches go round in groups, the last of
// which may be smaller; a group passes one of the stage's chunks, then the next, ...
class ChunkRound
{
public:
    explicit ChunkRound(const PipelineShape& shape)
        : m_size{shape.groupSize()},
          m_all{shape.micro_batches},
          m_group{std::min(m_size, m_all)},
          m_chunks{shape.virtual_stages},
          m_in_group{-1}
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
        m_group = std::min(m_size, m_all - m_first);
    }

    int chunk() const { return m_chunk; }
    int microBatch() const { return m_first + m_in_group; }

private:
    int m_size;  // of a group
    int m_all;   // micro-batches
    int m_group; // of the group at hand
    int m_chunks;
    int m_in_group;
    int m_chunk = 0;
    int m_first = 0; // micro-batch of the group
};

// The tasks of one stage in the order in which it runs them. Every micro-batch passes every chunk once in
// each kind; with dualpipe half of them enter at each end. gpipe: all forwards, then all backwards. 1f1b:
// PipeDream-flush (Narayanan et al. 2021, Fig. 4). interleaved: the same over virtual stages (Megatron-LM).
// zb-h1, zb-h2: forwards and backwards as in Fig. 2 and 3 of Qi et al. 2024, those in a V as VShapeOrder has
// them; where their weight gradients run is decided as the schedule is played. dualpipe: DeepSeek's, the one
// order that is written down: all others are counted, and cost no memory.
class TaskSequence
{
public:
    TaskSequence(const PipelineShape& shape, int stage);

    bool atEnd() const { return m_at_end; }
    // Pre, of both: not at the end.
    const PipelineTask& task() const { return m_task; }
    void toNext() { m_in_turn ? toNextInTurn() : toNextElsewhere(); }

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
    void toNextElsewhere();
    static std::uint16_t chunkNumber(int chunk) { return static_cast<std::uint16_t>(chunk); }

    PipelineTask m_task;
    bool m_at_end = false;
    bool m_in_turn; // some forwards, then a forward and a backward in turn
    int m_passes;   // forwards, and backwards as well
    int m_most_in_flight = 0;
    int m_forwards_begun = 0;
    int m_backwards_begun = 0;
    ChunkRound m_forwards;
    ChunkRound m_backwards;
    int m_last_chunk;
    bool m_whole;
    std::optional<VShapeOrder> m_in_v;
    std::vector<PipelineTask> m_written;
    std::size_t m_next = 0; // in it
};

} // namespace shardscope

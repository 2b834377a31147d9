#include "core/prediction/time/v_shape_order.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace shardscope
{

namespace
{

// Passes of one micro-batch through both chunks of a stage: forward, backward and weight gradient of each.
constexpr int passes_apart = 6;

// When a stage runs the passes of the first micro-batch, each pass taking one unit.
struct BuildingBlock {
    int forward = 0; // of chunk 0
    int returning_forward = 0;
    int returning_backward = 0;
    int backward = 0;
};

// From Qi et al. 2024, Pipeline Parallelism with Controllable Memory, and their zbv_greedy.py. The extra
// units keep passes of different micro-batches apart. zb-v repeats the order of PyTorch's
// ScheduleZBVZeroBubble.
BuildingBlock buildingBlock(Schedule schedule, int stages, int stage)
{
    switch (schedule) {
    case Schedule::v_min: {
        const int extra = stages % 3 == 0 ? 2 : 0;
        return {stage, 2 * stages - stage - 1, 2 * stages + extra + stage, 4 * stages + extra - stage - 1};
    }
    case Schedule::v_half: {
        const int extra = stages % 2 == 0 ? 3 : 0;
        return {2 * stage, 3 * stages - stage - 2, 3 * stages + extra + 2 * stage - 1,
                6 * stages + extra - stage - 2};
    }
    default:
        assert(schedule == Schedule::zb_v);
        return {4 * stage, 6 * stages - 2 * stage - 4, 6 * stages + 4 * stage - 3,
                12 * stages - 2 * stage - 5};
    }
}

// How many of the passes that begin at `first` do so before `end`.
int passesBefore(int first, int end)
{
    return end > first ? (end - first + passes_apart - 1) / passes_apart : 0;
}

} // namespace

int mostChunksHeld(Schedule schedule, int stages)
{
    switch (schedule) {
    case Schedule::v_min:
        return 2 * ((stages + 4) / 3);
    case Schedule::v_half:
        return 2 * ((stages + 2) / 2);
    default:
        assert(schedule == Schedule::zb_v);
        return 2 * stages;
    }
}

VShapeOrder::VShapeOrder(const PipelineShape& shape, int stage)
    : m_left{std::int64_t{4} * shape.micro_batches}, m_micro_batches{shape.micro_batches}
{
    const BuildingBlock block = buildingBlock(shape.schedule, shape.stages, stage);
    const int returning_early = passesBefore(block.returning_forward, block.returning_backward);
    const int early = std::min(passesBefore(block.forward, block.backward),
                               mostChunksHeld(shape.schedule, shape.stages) - returning_early);
    // A micro-batch is at the stage after that many others, on its way down and on its way back.
    const int down = stage;
    const int back = 2 * shape.stages - 1 - stage;
    m_rows = {
        Row{TaskKind::forward, 1, block.returning_forward, back, std::min(returning_early, m_micro_batches)},
        Row{TaskKind::forward, 0, block.forward, down, std::min(early, m_micro_batches)},
        Row{TaskKind::backward, 1, block.returning_backward, 0, 0},
        Row{TaskKind::backward, 0, block.backward, 0, 0}};
    for (Row& row : m_rows)
        place(row);
}

void VShapeOrder::place(Row& row) const
{
    constexpr int never = std::numeric_limits<int>::max();
    row.time = row.micro_batch < m_micro_batches ? row.first + passes_apart * row.micro_batch : never;
    if (row.micro_batch < row.early)
        row.time = std::min(row.time, row.early_first + row.micro_batch);
}

PipelineTask VShapeOrder::next()
{
    assert(!atEnd());
    --m_left;
    Row& next = *std::ranges::min_element(m_rows, {}, &Row::time);
    const bool whole = next.kind == TaskKind::forward;
    const PipelineTask task{next.kind, false, false, whole, next.chunk, next.micro_batch++};
    place(next);
    return task;
}

} // namespace shardscope

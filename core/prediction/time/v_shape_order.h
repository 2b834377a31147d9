#pragma once

#include "core/prediction/time/pipeline_task.h"

#include <array>
#include <cstdint>

namespace shardscope
{

// Chunks of micro-batches, each a half of what a stage holds of the model, whose activations a stage keeps at
// most: those that wait for their backward pass or for a weight gradient. zb-v: 2 p; v-half: 2 floor((p + 2)
// / 2); v-min: 2 floor((p + 4) / 3) (Qi et al. 2024, Pipeline Parallelism with Controllable Memory). Pre: a
// schedule in a V.
int mostChunksHeld(Schedule schedule, int stages);

// The forwards and backwards of one stage of a V in the order in which it runs them: every micro-batch
// repeats the passes of the first one, six passes later (the paper's building block), and until the first
// backward of chunk 0 forwards go as early as the chunks that may be held allow. Where the paper's schedules
// put passes in order by search, these take up to two forwards longer.
class VShapeOrder
{
public:
    VShapeOrder(const PipelineShape& shape, int stage);

    bool atEnd() const { return m_left == 0; }
    // Pre: not at the end.
    PipelineTask next();

private:
    // The passes of one kind through one chunk, at times that order them.
    struct Row {
        TaskKind kind = TaskKind::forward;
        std::uint16_t chunk = 0;
        int first = 0;
        int early_first = 0; // the first so many run one after the other from here on, if that is earlier
        int early = 0;
        int micro_batch = 0;
        int time = 0; // of that micro-batch
    };
    void place(Row& row) const;

    std::array<Row, 4> m_rows; // of those at the same time the first runs first
    std::int64_t m_left;
    int m_micro_batches;
};

} // namespace shardscope

#include "core/prediction/time/task_order.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace shardscope
{

namespace
{

// Micro-batches that the first stage has in flight for each stage of the pipeline; 0: not such a schedule.
int zeroBubbleDepth(Schedule schedule)
{
    return schedule == Schedule::zb_h1 ? 1 : schedule == Schedule::zb_h2 ? 2 : 0;
}

// The eight steps of DeepSeek's dualpipe.py. Phase 0 enters at the nearer end. In the main steps a forward
// runs interwoven with a backward of the other direction.
class DualPipeWriter
{
public:
    DualPipeWriter(const PipelineShape& shape, int stage)
        : m_half_stages{shape.stages / 2},
          m_half_micro_batches{shape.micro_batches / 2},
          m_second_half{stage >= shape.stages / 2}
    {
        m_half_rank = m_second_half ? shape.stages - 1 - stage : stage;
        m_stages = shape.stages;
        m_order.reserve(3 * static_cast<std::size_t>(shape.micro_batches));
    }

    std::vector<PipelineTask> write()
    {
        const int rest = m_half_stages - m_half_rank - 1;
        for (int i = 0; i < 2 * rest; ++i)
            forward(0);
        for (int i = 0; i <= m_half_rank; ++i) {
            forward(0);
            forward(1);
        }
        for (int i = 0; i < rest; ++i) {
            inputGradient(1);
            weightGradient();
            forward(1);
        }
        for (int i = 0; i < m_half_micro_batches - m_stages + m_half_rank + 1; ++i) {
            pair(0, 1);
            pair(1, 0);
        }
        for (int i = 0; i < rest; ++i) {
            backward(1);
            pair(1, 0);
        }
        finish(rest);
        return std::move(m_order);
    }

private:
    void finish(int rest)
    {
        const int pairs = m_half_rank + 1;
        bool postponed = false; // from the middle on, one gradient earlier on odd ranks
        for (int i = 0; i < pairs; ++i) {
            postponed = postponed || (i == pairs / 2 && m_half_rank % 2 == 1);
            gradient(1, postponed);
            postponed = postponed || (i == pairs / 2 && m_half_rank % 2 == 0);
            gradient(0, postponed);
        }
        for (int i = 0; i < rest; ++i) {
            weightGradient();
            inputGradient(0);
        }
        while (!m_postponed.empty())
            weightGradient();
    }

    bool direction(int phase) const { return m_second_half != (phase == 1); }
    void forward(int phase) { add({TaskKind::forward, direction(phase)}); }
    void backward(int phase) { add({TaskKind::backward, direction(phase)}); }
    void inputGradient(int phase)
    {
        add({TaskKind::backward, direction(phase), false, false});
        m_postponed.push_back(direction(phase));
    }
    void weightGradient()
    {
        if (m_postponed.empty())
            return;
        add({TaskKind::weight_gradient, m_postponed.front(), false, false});
        m_postponed.erase(m_postponed.begin());
    }
    void pair(int forward_phase, int backward_phase)
    {
        add({TaskKind::forward, direction(forward_phase), true});
        backward(backward_phase);
    }
    void gradient(int phase, bool postponed) { postponed ? inputGradient(phase) : backward(phase); }

    // The next micro-batch of its kind and direction.
    void add(PipelineTask task)
    {
        task.micro_batch = m_counts[task.reversed ? 1 : 0][static_cast<std::size_t>(task.kind)]++;
        m_order.push_back(task);
    }

    std::vector<PipelineTask> m_order;
    std::array<std::array<std::int32_t, 3>, 2> m_counts{};
    int m_stages = 0;
    int m_half_stages;
    int m_half_micro_batches;
    bool m_second_half;
    int m_half_rank = 0;
    std::vector<bool> m_postponed; // directions of the weight gradients that wait
};

// Forwards that the stage is ahead of its backwards when it begins the first of these.
int inFlightBeforeBackward(const PipelineShape& shape, int stage)
{
    const int behind = shape.stages - 1 - stage;
    switch (shape.schedule) {
    case Schedule::gpipe:
        return shape.micro_batches;
    case Schedule::interleaved:
        return 2 * behind + (shape.virtual_stages - 1) * shape.groupSize();
    case Schedule::zb_h1: // as many as 1f1b; zb_h2 nearly twice as many
    case Schedule::zb_h2:
        return zeroBubbleDepth(shape.schedule) * behind;
    case Schedule::one_f_one_b:
    case Schedule::zb_v: // have orders of their own
    case Schedule::v_half:
    case Schedule::v_min:
    case Schedule::dualpipe:
        break;
    }
    return behind;
}

} // namespace

int weightGradientsPutOff(Schedule schedule, int stage)
{
    return 3 * zeroBubbleDepth(schedule) * stage / 2;
}

bool splitsBackward(Schedule schedule)
{
    return schedule == Schedule::zb_h1 || schedule == Schedule::zb_h2 || isVShaped(schedule)
           || schedule == Schedule::dualpipe;
}

TaskSequence::TaskSequence(const PipelineShape& shape, int stage)
    : m_in_turn{shape.schedule != Schedule::dualpipe && !isVShaped(shape.schedule)},
      m_passes{shape.micro_batches * shape.virtual_stages},
      m_forwards{shape},
      m_backwards{shape},
      m_last_chunk{shape.virtual_stages - 1},
      m_whole{!splitsBackward(shape.schedule)}
{
    if (shape.schedule == Schedule::dualpipe)
        m_written = DualPipeWriter{shape, stage}.write();
    else if (isVShaped(shape.schedule))
        m_in_v.emplace(shape, stage);
    else
        m_most_in_flight = std::min(m_passes, inFlightBeforeBackward(shape, stage));
    toNext();
}

void TaskSequence::toNextElsewhere()
{
    m_at_end = m_in_v ? m_in_v->atEnd() : m_next == m_written.size();
    if (!m_at_end)
        m_task = m_in_v ? m_in_v->next() : m_written[m_next++];
}

} // namespace shardscope

#include "core/prediction/time/task_order.h"

#include <algorithm>
#include <cassert>

namespace shardscope
{

namespace
{

// Writes down the tasks of one stage one after the other, counting micro-batches for each kind and chunk.
class OrderWriter
{
public:
    OrderWriter(const PipelineShape& shape, std::size_t tasks) : m_counts(6 * counters(shape))
    {
        m_order.reserve(tasks);
    }

    void forward(int chunk = 0, bool reversed = false, bool paired = false)
    {
        add({TaskKind::forward, reversed, paired, true, static_cast<std::uint16_t>(chunk)});
    }
    void backward(int chunk = 0, bool reversed = false)
    {
        add({TaskKind::backward, reversed, false, true, static_cast<std::uint16_t>(chunk)});
    }
    void inputGradient(bool reversed = false) { add({TaskKind::backward, reversed, false, false}); }
    void weightGradient(bool reversed = false) { add({TaskKind::weight_gradient, reversed, false, false}); }

    std::vector<PipelineTask> take() { return std::move(m_order); }

private:
    void add(PipelineTask task)
    {
        const int counter = 3 * (2 * task.chunk + (task.reversed ? 1 : 0)) + static_cast<int>(task.kind);
        task.micro_batch = m_counts[static_cast<std::size_t>(counter)]++;
        m_order.push_back(task);
    }
    static std::size_t counters(const PipelineShape& shape)
    {
        return static_cast<std::size_t>(shape.virtual_stages);
    }

    std::vector<std::int32_t> m_counts;
    std::vector<PipelineTask> m_order;
};

// Micro-batches that the first stage has in flight for each stage of the pipeline; 0: not such a schedule.
int zeroBubbleDepth(Schedule schedule)
{
    return schedule == Schedule::zb_h1 ? 1 : schedule == Schedule::zb_h2 ? 2 : 0;
}

std::size_t taskCount(const PipelineShape& shape)
{
    const int kinds = splitsBackward(shape.schedule) ? 3 : 2;
    return static_cast<std::size_t>(kinds) * static_cast<std::size_t>(shape.virtual_stages)
           * static_cast<std::size_t>(shape.micro_batches);
}

void writeGpipe(const PipelineShape& shape, OrderWriter& order)
{
    for (int i = 0; i < shape.micro_batches; ++i)
        order.forward();
    for (int i = 0; i < shape.micro_batches; ++i)
        order.backward();
}

// `in_flight` forwards more than backwards, then one of each in turn. `write_backward` writes what the
// schedule does of a backward pass at once.
template<class WriteBackward>
void writeInTurn(const PipelineShape& shape, int in_flight, OrderWriter& order,
                 const WriteBackward& write_backward)
{
    const int warm_up = std::min(shape.micro_batches, in_flight);
    for (int i = 0; i < warm_up; ++i)
        order.forward();
    for (int i = 0; i < shape.micro_batches; ++i) {
        if (warm_up + i < shape.micro_batches)
            order.forward();
        write_backward();
    }
}

void writeOneForwardOneBackward(const PipelineShape& shape, int stage, OrderWriter& order)
{
    writeInTurn(shape, shape.stages - 1 - stage, order, [&] { order.backward(); });
}

// The chunks of a stage's forwards one after the other: micro-batches go round in groups of as many as there
// are stages; a group passes chunk 0, then chunk 1, ...
class ChunkRound
{
public:
    explicit ChunkRound(const PipelineShape& shape) : m_shape{shape} {}

    int next()
    {
        if (m_in_group++ == m_shape.stages) {
            m_in_group = 1;
            m_chunk = m_chunk + 1 == m_shape.virtual_stages ? 0 : m_chunk + 1;
        }
        return m_chunk;
    }

private:
    const PipelineShape& m_shape;
    int m_in_group = 0;
    int m_chunk = 0;
};

void writeInterleaved(const PipelineShape& shape, int stage, OrderWriter& order)
{
    assert(shape.micro_batches % shape.stages == 0);
    const int steps = shape.micro_batches * shape.virtual_stages;
    const int warm_up =
        std::min(steps, (shape.stages - stage - 1) * 2 + (shape.virtual_stages - 1) * shape.stages);
    ChunkRound forwards{shape};
    ChunkRound backwards{shape}; // of which the last chunk is the first
    for (int i = 0; i < warm_up; ++i)
        order.forward(forwards.next());
    for (int i = 0; i < steps; ++i) {
        if (warm_up + i < steps)
            order.forward(forwards.next());
        order.backward(shape.virtual_stages - 1 - backwards.next());
    }
}

// zb-h1 keeps as many micro-batches in flight as 1f1b, zb-h2 nearly twice as many.
void writeZeroBubble(const PipelineShape& shape, int stage, OrderWriter& order)
{
    const int in_flight = zeroBubbleDepth(shape.schedule) * (shape.stages - 1 - stage);
    writeInTurn(shape, in_flight, order, [&] { order.inputGradient(); });
}

// The eight steps of DeepSeek's dualpipe.py. Phase 0 enters at the nearer end. In the main steps a forward
// runs interwoven with a backward of the other direction.
class DualPipeWriter
{
public:
    DualPipeWriter(const PipelineShape& shape, int stage, OrderWriter& order)
        : m_order{order},
          m_half_stages{shape.stages / 2},
          m_half_micro_batches{shape.micro_batches / 2},
          m_second_half{stage >= shape.stages / 2}
    {
        m_half_rank = m_second_half ? shape.stages - 1 - stage : stage;
        m_stages = shape.stages;
    }

    void write()
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
    void forward(int phase) { m_order.forward(0, direction(phase)); }
    void backward(int phase) { m_order.backward(0, direction(phase)); }
    void inputGradient(int phase)
    {
        m_order.inputGradient(direction(phase));
        m_postponed.push_back(direction(phase));
    }
    void weightGradient()
    {
        if (m_postponed.empty())
            return;
        m_order.weightGradient(m_postponed.front());
        m_postponed.erase(m_postponed.begin());
    }
    void pair(int forward_phase, int backward_phase)
    {
        m_order.forward(0, direction(forward_phase), true);
        backward(backward_phase);
    }
    void gradient(int phase, bool postponed) { postponed ? inputGradient(phase) : backward(phase); }

    OrderWriter& m_order;
    int m_stages = 0;
    int m_half_stages;
    int m_half_micro_batches;
    bool m_second_half;
    int m_half_rank = 0;
    std::vector<bool> m_postponed; // directions of the weight gradients that wait
};

} // namespace

int weightGradientsPutOff(Schedule schedule, int stage)
{
    return 3 * zeroBubbleDepth(schedule) * stage / 2;
}

bool splitsBackward(Schedule schedule)
{
    return schedule == Schedule::zb_h1 || schedule == Schedule::zb_h2 || schedule == Schedule::dualpipe;
}

std::vector<PipelineTask> taskOrder(const PipelineShape& shape, int stage)
{
    OrderWriter order{shape, taskCount(shape)};
    switch (shape.schedule) {
    case Schedule::gpipe:
        writeGpipe(shape, order);
        break;
    case Schedule::one_f_one_b:
        writeOneForwardOneBackward(shape, stage, order);
        break;
    case Schedule::interleaved:
        writeInterleaved(shape, stage, order);
        break;
    case Schedule::zb_h1:
    case Schedule::zb_h2:
        writeZeroBubble(shape, stage, order);
        break;
    case Schedule::dualpipe:
        DualPipeWriter{shape, stage, order}.write();
        break;
    }
    return order.take();
}

} // namespace shardscope

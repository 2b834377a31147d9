#include "core/prediction/time/stage_clocks.h"

#include <algorithm>

namespace shardscope
{

StageClocks::StageClocks(const IterationFigures& figures, const IterationTime& time,
                         const std::vector<ChunkShape>& shapes, const ComputeTime& head)
    : m_figures{figures},
      m_time{time},
      m_shapes{shapes},
      m_head{head},
      m_stages{shapes.size() / static_cast<std::size_t>(figures.scenario.parallel.virtual_stages)}
{
}

std::size_t StageClocks::virtualStages() const
{
    return m_shapes.size() / m_stages;
}

// Interleaved, so many other micro-batches pass each chunk of a stage before it goes on to its next one.
double StageClocks::othersInTurn() const
{
    const Parallel& parallel = m_figures.scenario.parallel;
    const std::int64_t in_turn = std::min(parallel.pipeline, m_figures.micro_batches);
    return parallel.virtual_stages > 1 ? static_cast<double>(in_turn - 1) : 0.0;
}

// A model that is a list of tensors is one piece.
double StageClocks::layersOf(const ChunkShape& shape) const
{
    return m_figures.scenario.model.kind == ModelKind::parameter_list ? 1.0 : shape.layers();
}

PassClock StageClocks::firstForward(std::size_t stage, const StageCommunication& communication) const
{
    const PassCommunication& sent = communication.of(Phase::forward);
    PassClock clock;
    for (std::size_t place = stage; place < m_shapes.size(); place += m_stages) {
        const ChunkShape& shape = m_shapes[place];
        const double pass_s = m_time.chunks[place].forward.total_s();
        const double head_s = shape.head ? m_head.forward_s + sent.tp_head_s + sent.losses_s : 0.0;
        clock.add({layersOf(shape), 0.0, pass_s - head_s, head_s + othersInTurn() * pass_s});
    }
    return clock;
}

PassClock StageClocks::lastBackward(std::size_t stage, const StageCommunication& communication) const
{
    const bool splits = splitsBackward(m_figures.scenario.parallel.schedule);
    const double head_s =
        m_head.weight_gradient_s
        + (splits ? 0.0 : m_head.input_gradient_s + communication.of(Phase::backward).tp_head_s);
    PassClock clock;
    for (std::size_t i = virtualStages(); i-- > 0;) {
        const std::size_t place = i * m_stages + stage;
        const ChunkShape& shape = m_shapes[place];
        const StageTime& chunk = m_time.chunks[place];
        const double whole_s = chunk.backward.total_s();
        const double pass_s = splits ? chunk.weight_gradient_s : whole_s;
        const double before_s = i + 1 < virtualStages() ? othersInTurn() * whole_s : 0.0;
        const double of_head_s = shape.head ? head_s : 0.0;
        clock.add({layersOf(shape), before_s + of_head_s, pass_s - of_head_s, 0.0});
    }
    return clock;
}

} // namespace shardscope

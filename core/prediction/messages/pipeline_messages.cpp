#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"

namespace shardscope
{

namespace
{

// How often one micro-batch crosses the borders of a stage on its way forward, all its chunks together; its
// gradients cross them the other way.
struct Crossings {
    std::int64_t to_next = 0;
    std::int64_t from_previous = 0;
};

// The last chunk of the last stage and the first of the first have no neighbour; the others hand on around
// the ring. In a V that is the way down; the way back crosses the same borders.
Crossings crossingsOf(const Parallel& parallel, int stage)
{
    const std::int64_t chunks = isVShaped(parallel.schedule) ? 1 : parallel.virtual_stages;
    return {stage + 1 == parallel.pipeline ? chunks - 1 : chunks, stage == 0 ? chunks - 1 : chunks};
}

class StageBorders
{
public:
    StageBorders(const IterationFigures& figures, MessageList& list)
        : m_figures{figures},
          m_list{list},
          m_partitioned{gathersPipelineMessages(figures)},
          m_bytes{pipelineMessageBytes(figures)}
    {
    }

    void send(Phase phase, std::string_view what, std::int64_t crossings)
    {
        add(Op::send, phase, what, crossings);
    }
    void receive(Phase phase, std::string_view what, std::int64_t crossings)
    {
        add(Op::recv, phase, what, crossings);
        if (m_partitioned)
            m_list.add({Kind::tp, Op::all_gather, m_figures.tensor, ModelPart::pipeline}, phase,
                       m_figures.activation_dtype, what, m_figures.activation_bytes,
                       m_figures.passes * crossings);
    }

private:
    void add(Op op, Phase phase, std::string_view what, std::int64_t crossings)
    {
        m_list.add({Kind::pp, op, 2, ModelPart::pipeline}, phase, m_figures.activation_dtype, what, m_bytes,
                   m_figures.passes * crossings);
    }

    const IterationFigures& m_figures;
    MessageList& m_list;
    bool m_partitioned;
    std::int64_t m_bytes;
};

} // namespace

bool gathersPipelineMessages(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    return scenario.conventions.pp_partitioned && !scenario.parallel.sequence_parallel && figures.tensor > 1;
}

std::int64_t pipelineMessageBytes(const IterationFigures& figures)
{
    const bool parts = gathersPipelineMessages(figures) || figures.scenario.parallel.sequence_parallel;
    return figures.activation_bytes / (parts ? figures.tensor : 1);
}

void addPipelineMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    if (!figures.pipelined())
        return;
    const Crossings crossings = crossingsOf(figures.scenario.parallel, shape.stage);
    StageBorders borders{figures, list};
    borders.receive(Phase::forward, contents::activation, crossings.from_previous);
    borders.send(Phase::forward, contents::activation, crossings.to_next);
    borders.receive(Phase::backward, contents::gradient, crossings.to_next);
    borders.send(Phase::backward, contents::gradient, crossings.from_previous);
    const bool in_v = isVShaped(figures.scenario.parallel.schedule);
    if (!figures.mirrored && !in_v)
        return;
    // The other half of the micro-batches enters at the last stage, or all come back in a V.
    const std::string_view activation = in_v ? contents::returning_activation : contents::reversed_activation;
    const std::string_view gradient = in_v ? contents::returning_gradient : contents::reversed_gradient;
    borders.receive(Phase::forward, activation, crossings.to_next);
    borders.send(Phase::forward, activation, crossings.from_previous);
    borders.receive(Phase::backward, gradient, crossings.from_previous);
    borders.send(Phase::backward, gradient, crossings.to_next);
}

} // namespace shardscope

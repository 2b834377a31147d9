#include "core/prediction/time/stage_clocks.h"

#include "core/scenario/micro_batch_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope
{

StageClocks::StageClocks(const IterationFigures& figures, const IterationTime& time,
                         const std::vector<ChunkShape>& shapes, const ComputeTime& head)
    : m_figures{figures}, m_time{time}, m_shapes{shapes}, m_head{head}
{
}

// In the order of the model. With dualpipe the one that the stage works on first and last, as it is nearer to
// where its micro-batches enter, goes before its mirror image.
std::vector<std::size_t> StageClocks::chunksOf(std::size_t stage) const
{
    const auto stages = static_cast<std::size_t>(m_figures.scenario.parallel.pipeline);
    if (m_figures.mirrored)
        return {std::min(stage, stages - 1 - stage), std::max(stage, stages - 1 - stage)};
    const PipelineChain chain{m_figures.scenario.parallel};
    std::vector<std::size_t> chunks;
    for (int chunk = 0; chunk < m_figures.scenario.parallel.virtual_stages; ++chunk)
        chunks.push_back(static_cast<std::size_t>(chain.place(chunk, static_cast<int>(stage))));
    return chunks;
}

// Interleaved, so many other micro-batches pass each chunk of a stage before it goes on to its next one. In a
// V it is few to many by stage: none are counted on.
double StageClocks::othersInTurn() const
{
    const Parallel& parallel = m_figures.scenario.parallel;
    return parallel.schedule == Schedule::interleaved && parallel.virtual_stages > 1 ? static_cast<double>(
               microBatchGroup(parallel, m_figures.scenario.conventions.framework, m_figures.micro_batches)
               - 1)
                                                                                     : 0.0;
}

// A model that is a list of tensors is one piece.
double StageClocks::layersOf(std::size_t chunk) const
{
    const bool is_list = m_figures.scenario.model.kind == ModelKind::parameter_list;
    return is_list ? 1.0 : m_shapes[chunk].layers();
}

// In the order of the model, as PassClock::Chunk has them.
std::vector<double> StageClocks::weightsOf(std::size_t chunk, double LayerPasses::*pass) const
{
    const ChunkShape& shape = m_shapes[chunk];
    std::vector<double> weights;
    if (!shape.isMixed())
        return weights;
    const std::int64_t end = shape.first_layer + std::llround(shape.layers());
    for (std::int64_t layer = shape.first_layer; layer < end; ++layer) {
        const LayerSort sort = layerSort(m_figures.scenario.model, layer);
        weights.push_back(m_time.chunks[chunk].layers[sort.index()].*pass);
    }
    return weights;
}

PassClock StageClocks::firstForward(std::size_t stage, const StageCommunication& communication) const
{
    const PassCommunication& sent = communication.of(Phase::forward);
    PassClock clock;
    for (const std::size_t chunk : chunksOf(stage)) {
        const double pass_s = m_time.chunks[chunk].forward.total_s();
        const double head_s = m_shapes[chunk].head ? m_head.forward_s + sent.tp_head_s + sent.losses_s : 0.0;
        clock.add({layersOf(chunk), 0.0, pass_s - head_s, head_s + othersInTurn() * pass_s,
                   weightsOf(chunk, &LayerPasses::forward_s)});
    }
    return clock;
}

PassClock StageClocks::lastBackward(std::size_t stage, const StageCommunication& communication) const
{
    const bool splits = splitsBackward(m_figures.scenario.parallel.schedule);
    const double head_s =
        m_head.weight_gradient_s
        + (splits ? 0.0 : m_head.input_gradient_s + communication.of(Phase::backward).tp_head_s);
    const std::vector<std::size_t> chunks = chunksOf(stage);
    PassClock clock;
    for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk) {
        const bool is_mirror_image = m_figures.mirrored && chunk == chunks.rbegin();
        if (is_mirror_image) { // complete before the last weight gradients
            clock.add({layersOf(*chunk), 0.0, 0.0, 0.0});
            continue;
        }
        const StageTime& time = m_time.chunks[*chunk];
        const double whole_s = time.backward.total_s();
        const double pass_s = splits ? time.weight_gradient_s : whole_s;
        const double before_s = chunk == chunks.rbegin() ? 0.0 : othersInTurn() * whole_s;
        const double of_head_s = m_shapes[*chunk].head ? head_s : 0.0;
        std::vector<double> weights =
            weightsOf(*chunk, splits ? &LayerPasses::weight_gradient_s : &LayerPasses::backward_s);
        std::ranges::reverse(weights);
        clock.add({layersOf(*chunk), before_s + of_head_s, pass_s - of_head_s, 0.0, std::move(weights)});
    }
    return clock;
}

} // namespace shardscope

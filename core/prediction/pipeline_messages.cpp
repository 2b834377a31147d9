#include "core/prediction/stage_messages.h"

namespace shardscope
{

namespace
{

// How often a stage hands on and receives what one micro-batch makes, all its chunks together.
struct ChunkBorders {
    std::int64_t to_next = 0;       // activations sent, and gradients received
    std::int64_t from_previous = 0; // activations received, and gradients sent
};

// The last chunk of the last stage and the first of the first have no neighbour; the others hand on around
// the ring.
ChunkBorders bordersOf(const IterationFigures& figures, const StageShape& shape)
{
    const std::int64_t chunks = figures.scenario.parallel.virtual_stages;
    return {shape.last ? chunks - 1 : chunks, shape.first ? chunks - 1 : chunks};
}

} // namespace

void addPipelineMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    const Scenario& scenario = figures.scenario;
    if (!figures.pipelined())
        return;
    const bool split_tokens = scenario.parallel.sequence_parallel;
    // Tensor ranks hold the same activation: each sends a part, and the receivers gather it.
    const bool partitioned = scenario.conventions.pp_partitioned && !split_tokens && figures.tensor > 1;
    const std::int64_t whole = figures.activation_bytes;
    const std::int64_t sent = split_tokens || partitioned ? whole / figures.tensor : whole;
    const ChunkBorders borders = bordersOf(figures, shape);
    const std::int64_t next = figures.micro_batches * borders.to_next;
    const std::int64_t previous = figures.micro_batches * borders.from_previous;

    const Dtype dtype = figures.activation_dtype;
    const auto move = [&](Op op, Phase phase, std::string_view what, std::int64_t count) {
        list.add({Kind::pp, op, 2}, phase, dtype, what, sent, count);
        if (op == Op::recv && partitioned)
            list.add({Kind::tp, Op::all_gather, figures.tensor}, phase, dtype, what, whole, count);
    };
    move(Op::recv, Phase::forward, "activation", previous);
    move(Op::send, Phase::forward, "activation", next);
    move(Op::recv, Phase::backward, "gradient", next);
    move(Op::send, Phase::backward, "gradient", previous);
}

} // namespace shardscope

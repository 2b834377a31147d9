#include "core/prediction/expert_routing.h"
#include "core/prediction/stage_messages.h"

namespace shardscope
{

namespace
{

constexpr std::string_view encoder_output = "encoder_output";

// Adds rows of one tensor group; sizes and counts are those of calls in one iteration.
class TensorGroup
{
public:
    TensorGroup(const IterationFigures& figures, MessageList& list) : m_figures{figures}, m_list{list} {}

    void activation(Op op, Phase phase, std::string_view what, std::int64_t count)
    {
        add(op, phase, m_figures.activation_dtype, what, m_figures.activation_bytes, count);
    }
    void add(Op op, Phase phase, Dtype dtype, std::string_view what, std::int64_t bytes, std::int64_t count)
    {
        m_list.add({Kind::tp, op, m_figures.tensor}, phase, dtype, what, bytes, count);
    }

private:
    const IterationFigures& m_figures;
    MessageList& m_list;
};

// One kind of block (attention, MLP) of all layers of a stage: a column-parallel product, then a row-parallel
// one. Attention to an encoder multiplies the encoder's output too.
struct Block {
    std::string_view what;
    std::int64_t count = 0; // blocks times micro-batches
    std::int64_t bytes = 0; // of the whole activation
    bool gathers_again = false;
    std::int64_t encoder_bytes = 0; // of the encoder's output; 0: not needed
};

// Narayanan et al. 2021: g sums the output forward, f the input's gradient backward.
void addPlainBlock(TensorGroup& group, const Block& block, Dtype dtype, Phase phase)
{
    group.add(Op::all_reduce, phase, dtype, block.what, block.bytes, block.count);
    if (phase == Phase::backward)
        group.add(Op::all_reduce, phase, dtype, encoder_output, block.encoder_bytes, block.count);
}

// Korthikanti et al. 2022: each all_reduce becomes an all_gather before and a reduce_scatter after the
// products.
void addSequenceForward(TensorGroup& group, const Block& block, Dtype dtype, Phase phase)
{
    group.add(Op::all_gather, phase, dtype, block.what, block.bytes, block.count);
    group.add(Op::all_gather, phase, dtype, encoder_output, block.encoder_bytes, block.count);
    group.add(Op::reduce_scatter, phase, dtype, block.what, block.bytes, block.count);
}

// Only a shard of the input is kept, so that the weight's gradient fetches the whole again.
void addSequenceBackward(TensorGroup& group, const Block& block, Dtype dtype)
{
    group.add(Op::all_gather, Phase::backward, dtype, block.what, block.bytes, block.count);
    if (block.gathers_again) {
        group.add(Op::all_gather, Phase::backward, dtype, "regather", block.bytes, block.count);
        group.add(Op::all_gather, Phase::backward, dtype, encoder_output, block.encoder_bytes, block.count);
    }
    group.add(Op::reduce_scatter, Phase::backward, dtype, block.what, block.bytes, block.count);
    group.add(Op::reduce_scatter, Phase::backward, dtype, encoder_output, block.encoder_bytes, block.count);
}

// Blocks of a stage in forward order.
std::vector<Block> blocksOf(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    const bool split_tokens = scenario.parallel.sequence_parallel;
    const bool again = scenario.conventions.sp_regather;
    const std::int64_t m = figures.passes;
    const std::int64_t whole = figures.activation_bytes;
    std::vector<Block> blocks;
    blocks.reserve(5);
    if (shape.encoder_layers > 0) {
        const std::int64_t calls = m * shape.encoder_layers;
        blocks.push_back({"encoder_attention", calls, figures.encoder_bytes, again});
        blocks.push_back({"encoder_mlp", calls, figures.encoder_bytes, again});
    }
    blocks.push_back({"attention", m * shape.layerCount(), whole, again});
    if (shape.encoder_layers > 0)
        blocks.push_back({"cross_attention", m * shape.dense_layers, whole, again, figures.encoder_bytes});
    blocks.push_back({"mlp", m * shape.dense_layers, whole, again});
    if (shape.moe_layers == 0)
        return blocks;
    if (!split_tokens) {
        blocks.push_back({"experts", m * shape.moe_layers, whole, false});
        return blocks;
    }
    if (scenario.model.experts.shared > 0)
        blocks.push_back({"shared_experts", m * shape.moe_layers, whole, again});
    // Tokens are exchanged as shards; the tensor group of an expert then gathers what its ranks received, and
    // keeps it.
    const std::int64_t received = ExpertRouting{figures}.bytes * figures.tensor;
    blocks.push_back({"experts", m * shape.moe_layers, received, false});
    return blocks;
}

void addLayers(const IterationFigures& figures, const StageShape& shape, Phase phase, TensorGroup& group)
{
    const Dtype dtype = figures.activation_dtype;
    const bool split_tokens = figures.scenario.parallel.sequence_parallel;
    const std::vector<Block> blocks = blocksOf(figures, shape);
    if (phase == Phase::backward) {
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
            split_tokens ? addSequenceBackward(group, *block, dtype)
                         : addPlainBlock(group, *block, dtype, phase);
        return;
    }
    for (const Block& block : blocks)
        split_tokens ? addSequenceForward(group, block, dtype, phase)
                     : addPlainBlock(group, block, dtype, phase);
}

// Every rank looks up its part of the vocabulary; the sum has each token's row. An encoder has tokens of its
// own.
void addEmbedding(const IterationFigures& figures, Phase phase, TensorGroup& group)
{
    const Scenario& scenario = figures.scenario;
    const bool split_tokens = scenario.parallel.sequence_parallel;
    const bool scatters = split_tokens && scenario.conventions.sp_reduce_scatter_embedding;
    if (phase == Phase::backward && !split_tokens)
        return;
    const Op of_backward = phase == Phase::backward ? Op::all_gather : Op::all_reduce;
    const Op op = phase == Phase::forward && scatters ? Op::reduce_scatter : of_backward;
    group.add(op, phase, figures.activation_dtype, "embedding_encoder", figures.encoder_bytes,
              figures.passes);
    group.activation(op, phase, "embedding", figures.passes);
}

// Each rank has the logits of its part of the vocabulary: their maximum, the target's logit and the sum of
// exponentials are joined, one float for each token. Then the head's input receives its gradient.
void addHeadAndLoss(const IterationFigures& figures, Phase phase, TensorGroup& group)
{
    const Scenario& scenario = figures.scenario;
    const bool split_tokens = scenario.parallel.sequence_parallel;
    const std::int64_t m = figures.passes;
    if (phase == Phase::forward) {
        if (split_tokens)
            group.activation(Op::all_gather, phase, "head", m);
        const std::int64_t bytes = figures.tokens * bytesPerElement(Dtype::fp32);
        group.add(Op::all_reduce, phase, Dtype::fp32, "cross_entropy_maximum", bytes, m);
        group.add(Op::all_reduce, phase, Dtype::fp32, "cross_entropy_target", bytes, m);
        group.add(Op::all_reduce, phase, Dtype::fp32, "cross_entropy_sum", bytes, m);
        return;
    }
    if (!split_tokens) {
        group.activation(Op::all_reduce, phase, "head", m);
        return;
    }
    if (scenario.conventions.sp_regather)
        group.activation(Op::all_gather, phase, "head_regather", m);
    group.activation(Op::reduce_scatter, phase, "head", m);
}

// The loader of tensor rank 0 hands its peers the sizes (five numbers), then tokens and labels (s + 1 for
// each sequence) and the encoder's tokens.
void addBatch(const IterationFigures& figures, TensorGroup& group)
{
    const Scenario& scenario = figures.scenario;
    const std::int64_t m = figures.micro_batches;
    const std::int64_t numbers =
        scenario.training.micro_batch_size * (scenario.model.sequence_length + 1) + figures.encoder_tokens;
    const std::int64_t width = bytesPerElement(Dtype::int64);
    group.add(Op::broadcast, Phase::forward, Dtype::int64, "batch_sizes", 5 * width, m);
    group.add(Op::broadcast, Phase::forward, Dtype::int64, "batch", numbers * width, m);
}

// With split tokens each rank has only its tokens' part of the gradients of what all of them hold.
void addReplicatedGradients(const IterationFigures& figures, const StageShape& shape, TensorGroup& group)
{
    const std::int64_t of_the_end = figures.final_norm + headTransformParameters(figures.scenario.model);
    const std::int64_t parameters =
        shape.dense_layers * figures.dense_layer.replicated + shape.moe_layers * figures.moe_layer.replicated
        + shape.encoder_layers * figures.encoder_layer.replicated + (shape.last ? of_the_end : 0);
    group.add(Op::all_reduce, Phase::step, figures.gradient_dtype, "replicated_gradients",
              parameters * bytesPerElement(figures.gradient_dtype), 1);
}

} // namespace

void addTensorParallelMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    const Scenario& scenario = figures.scenario;
    if (figures.tensor < 2)
        return;
    TensorGroup group{figures, list};
    if (scenario.conventions.tp_broadcast_batch)
        addBatch(figures, group);
    if (shape.first)
        addEmbedding(figures, Phase::forward, group);
    addLayers(figures, shape, Phase::forward, group);
    if (shape.last) {
        addHeadAndLoss(figures, Phase::forward, group);
        addHeadAndLoss(figures, Phase::backward, group);
    }
    if (scenario.training.recompute == Recompute::full)
        addLayers(figures, shape, Phase::recompute, group);
    addLayers(figures, shape, Phase::backward, group);
    if (shape.first)
        addEmbedding(figures, Phase::backward, group);
    if (scenario.parallel.sequence_parallel)
        addReplicatedGradients(figures, shape, group);
}

} // namespace shardscope

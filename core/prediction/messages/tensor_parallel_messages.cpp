#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/model/expert_routing.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/recomputation.h"

#include <array>

namespace shardscope
{

namespace
{

// Adds rows of one tensor group; sizes and counts are those of calls in one iteration.
class TensorGroup
{
public:
    TensorGroup(const IterationFigures& figures, MessageList& list) : m_figures{figures}, m_list{list} {}

    // What is added from now on belongs to it.
    void setPart(ModelPart part) { m_part = part; }
    void activation(Op op, Phase phase, std::string_view what, std::int64_t count)
    {
        add(op, phase, m_figures.activation_dtype, what, m_figures.activation_bytes, count);
    }
    void add(Op op, Phase phase, Dtype dtype, std::string_view what, std::int64_t bytes, std::int64_t count)
    {
        m_list.add({Kind::tp, op, m_figures.tensor, m_part}, phase, dtype, what, bytes, count);
    }

private:
    const IterationFigures& m_figures;
    MessageList& m_list;
    ModelPart m_part = ModelPart::none;
};

// What a block's column-parallel products read; nothing while bytes is 0.
struct Input {
    std::string_view what;
    std::int64_t bytes = 0; // of all tokens
    // As it is gathered once more for the weight's gradient; empty: kept whole.
    std::string_view what_again = {};
    bool is_summed = true; // without split tokens its gradient is summed over the tensor ranks
};

// One kind of block (attention, MLP) of all layers of a stage: column-parallel products, then a row-parallel
// one.
struct Block {
    ModelPart part = ModelPart::none;
    std::string_view what;
    std::int64_t count = 0; // blocks times micro-batches
    std::int64_t bytes = 0; // of the row-parallel product's result
    std::array<Input, 3> inputs{};
};

// Narayanan et al. 2021: g sums the output forward, f the input's gradient backward.
void addPlainBlock(TensorGroup& group, const Block& block, Dtype dtype, Phase phase)
{
    if (phase != Phase::backward)
        return group.add(Op::all_reduce, phase, dtype, block.what, block.bytes, block.count);
    for (const Input& input : block.inputs)
        if (input.is_summed)
            group.add(Op::all_reduce, phase, dtype, input.what, input.bytes, block.count);
}

// Korthikanti et al. 2022: each all_reduce becomes an all_gather before and a reduce_scatter after the
// products.
void addSequenceForward(TensorGroup& group, const Block& block, Dtype dtype, Phase phase)
{
    for (const Input& input : block.inputs)
        group.add(Op::all_gather, phase, dtype, input.what, input.bytes, block.count);
    group.add(Op::reduce_scatter, phase, dtype, block.what, block.bytes, block.count);
}

// Only a shard of the input is kept, so that the weight's gradient fetches the whole again.
void addSequenceBackward(TensorGroup& group, const Block& block, Dtype dtype)
{
    group.add(Op::all_gather, Phase::backward, dtype, block.what, block.bytes, block.count);
    for (const Input& input : block.inputs)
        if (!input.what_again.empty())
            group.add(Op::all_gather, Phase::backward, dtype, input.what_again, input.bytes, block.count);
    for (const Input& input : block.inputs)
        group.add(Op::reduce_scatter, Phase::backward, dtype, input.what, input.bytes, block.count);
}

std::array<Input, 3> attentionInputs(const IterationFigures& figures, std::string_view what_again)
{
    const Model& model = figures.scenario.model;
    if (!exchangesLatents(figures.scenario))
        return {Input{contents::attention, figures.activation_bytes, what_again}};
    const std::int64_t token = figures.tokens * bytesPerElement(figures.activation_dtype);
    const std::int64_t query = model.mla.q_lora_rank > 0 ? model.mla.q_lora_rank : model.hidden_size;
    return {Input{contents::query_latent, token * query, what_again},
            Input{contents::key_value_latent, token * model.mla.kv_lora_rank, what_again},
            Input{contents::rotary_key, token * model.mla.qk_rope_head_dim, {}, false}};
}

// One whose products read what its result is named for.
Block plainBlock(ModelPart part, std::string_view what, std::int64_t count, std::int64_t bytes,
                 std::string_view what_again)
{
    return {part, what, count, bytes, {Input{what, bytes, what_again}}};
}

void addExpertBlocks(const IterationFigures& figures, std::int64_t count, std::string_view again,
                     std::vector<Block>& blocks)
{
    const Scenario& scenario = figures.scenario;
    const std::int64_t whole = figures.activation_bytes;
    const bool are_whole = scenario.parallel.holdsExpertsWhole();
    // torchtitan gathers what goes into the block, shared experts with it, and splits tokens behind the
    // router.
    if (are_whole && gathersForRouters(scenario)) {
        blocks.push_back(plainBlock(ModelPart::experts, contents::experts, count, whole, again));
        return;
    }
    if (!scenario.parallel.sequence_parallel) {
        blocks.push_back(plainBlock(ModelPart::experts, contents::experts, count, whole, ""));
        return;
    }
    if (scenario.model.experts.shared > 0)
        blocks.push_back(
            plainBlock(ModelPart::shared_experts, contents::shared_experts, count, whole, again));
    if (are_whole)
        return;
    // Tokens are exchanged as shards; the tensor group of an expert then gathers what its ranks received, and
    // keeps it.
    const std::int64_t received = ExpertRouting{figures}.bytes * figures.tensor;
    blocks.push_back(plainBlock(ModelPart::experts, contents::experts, count, received, ""));
}

// Blocks of so many layers of a stage in forward order.
std::vector<Block> blocksOf(const IterationFigures& figures, const LayersBySort& layers)
{
    const bool regathers = figures.scenario.conventions.sp_regather;
    const std::string_view again = regathers ? contents::regather : "";
    const std::int64_t m = figures.passes;
    const std::int64_t whole = figures.activation_bytes;
    const std::int64_t of_encoder = figures.encoder_bytes;
    std::vector<Block> blocks;
    blocks.reserve(6);
    if (layers.encoder > 0) {
        const std::int64_t count = m * layers.encoder;
        blocks.push_back(
            plainBlock(ModelPart::encoder_attention, contents::encoder_attention, count, of_encoder, again));
        blocks.push_back(plainBlock(ModelPart::encoder_mlp, contents::encoder_mlp, count, of_encoder, again));
    }
    const LayersByForm<std::int64_t>& decoder = layers.decoder;
    blocks.push_back({ModelPart::attention, contents::attention, m * decoder.with(hasAttention), whole,
                      attentionInputs(figures, again)});
    blocks.push_back(plainBlock(ModelPart::recurrence, contents::recurrence, m * decoder.with(hasRecurrence),
                                whole, again));
    if (layers.encoder > 0) {
        blocks.push_back(plainBlock(ModelPart::cross_attention, contents::cross_attention, m * decoder.all(),
                                    whole, again));
        blocks.back().inputs[1] = {contents::encoder_output, of_encoder,
                                   regathers ? contents::encoder_output : ""};
    }
    blocks.push_back(plainBlock(ModelPart::mlp, contents::mlp, m * decoder.with(hasMlp), whole, again));
    if (const std::int64_t with_experts = decoder.with(hasExperts); with_experts > 0)
        addExpertBlocks(figures, m * with_experts, again, blocks);
    return blocks;
}

// Of a block, what modules that are computed again repeat: latent attention's projections up gather what they
// read, and leave the rest as it was.
Block repeated(const Block& block, const Repeats& repeats)
{
    Block none = block;
    none.count = 0;
    switch (block.part) {
    case ModelPart::encoder_mlp:
    case ModelPart::mlp:
        return repeats.has(RecomputeModule::mlp) ? block : none;
    case ModelPart::experts:
        return repeats.has(RecomputeModule::moe) ? block : none;
    case ModelPart::shared_experts:
        return repeats.has(RecomputeModule::moe) || repeats.has(RecomputeModule::shared_experts) ? block
                                                                                                 : none;
    case ModelPart::attention: {
        Block projections = repeats.has(RecomputeModule::mla_up_proj) ? block : none;
        projections.bytes = 0;
        for (Input& input : projections.inputs)
            if (input.what == contents::rotary_key || input.what == contents::attention)
                input.bytes = 0;
        return projections;
    }
    default:
        return none;
    }
}

void addForwardBlocks(const IterationFigures& figures, const std::vector<Block>& blocks, Phase phase,
                      TensorGroup& group)
{
    const Dtype dtype = figures.activation_dtype;
    for (const Block& block : blocks) {
        group.setPart(block.part);
        figures.scenario.parallel.sequence_parallel ? addSequenceForward(group, block, dtype, phase)
                                                    : addPlainBlock(group, block, dtype, phase);
    }
}

void addBackwardBlocks(const IterationFigures& figures, const std::vector<Block>& blocks, TensorGroup& group)
{
    const Dtype dtype = figures.activation_dtype;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        group.setPart(block->part);
        figures.scenario.parallel.sequence_parallel ? addSequenceBackward(group, *block, dtype)
                                                    : addPlainBlock(group, *block, dtype, Phase::backward);
    }
}

// Layers that are computed again whole, and the modules of others.
void addRepeatedBlocks(const IterationFigures& figures, const StageShape& shape, TensorGroup& group)
{
    addForwardBlocks(figures, blocksOf(figures, shape.recomputed), Phase::recompute, group);
    const Repeats repeats = repeatsOfOthers(figures.scenario);
    if (repeats.modules.isEmpty())
        return;
    std::vector<Block> blocks = blocksOf(figures, shape.counts);
    for (Block& block : blocks)
        block = repeated(block, repeats);
    addForwardBlocks(figures, blocks, Phase::recompute, group);
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
    group.setPart(ModelPart::embedding);
    group.add(op, phase, figures.activation_dtype, contents::embedding_encoder, figures.encoder_bytes,
              figures.passes);
    group.activation(op, phase, contents::embedding, figures.passes);
}

// Each rank has the logits of its part of the vocabulary: their maximum, the target's logit and the sum of
// exponentials are joined, one float for each token. Then the head's input receives its gradient. Modules of
// multi-token prediction have the same once more each; their losses are joined when they are printed alone.
void addHeadAndLoss(const IterationFigures& figures, Phase phase, TensorGroup& group)
{
    const Scenario& scenario = figures.scenario;
    const bool split_tokens = scenario.parallel.sequence_parallel;
    const std::int64_t m = figures.passes * (1 + scenario.model.mtp_layers);
    group.setPart(ModelPart::head);
    if (phase == Phase::forward) {
        if (split_tokens)
            group.activation(Op::all_gather, phase, contents::head, m);
        const std::int64_t bytes = figures.tokens * bytesPerElement(Dtype::fp32);
        group.add(Op::all_reduce, phase, Dtype::fp32, contents::cross_entropy_maximum, bytes, m);
        group.add(Op::all_reduce, phase, Dtype::fp32, contents::cross_entropy_target, bytes, m);
        group.add(Op::all_reduce, phase, Dtype::fp32, contents::cross_entropy_sum, bytes, m);
        return;
    }
    if (!split_tokens) {
        group.activation(Op::all_reduce, phase, contents::head, m);
        return;
    }
    if (scenario.conventions.sp_regather)
        group.activation(Op::all_gather, phase, contents::head_regather, m);
    group.activation(Op::reduce_scatter, phase, contents::head, m);
}

// Each module of multi-token prediction looks words up as the embedding does, and projects them, beside the
// hidden states, by a column-parallel product whose output every rank gathers and, with split tokens, keeps
// its part of (Megatron-Core, MultiTokenPredictionLayer). A full recomputation repeats the projection, not
// the look-up. Of the tokens that a context group hands its neighbours nothing is counted: a few numbers.
void addModules(const IterationFigures& figures, std::int64_t modules, Phase phase, TensorGroup& group)
{
    const Conventions& conventions = figures.scenario.conventions;
    const bool split_tokens = figures.scenario.parallel.sequence_parallel;
    const std::int64_t count = figures.passes * modules;
    const auto projection = [&](Op op, std::string_view what) {
        group.add(op, phase, figures.activation_dtype, what, 2 * figures.activation_bytes, count);
    };
    group.setPart(ModelPart::mtp);
    if (phase == Phase::backward) {
        if (!split_tokens)
            return projection(Op::all_reduce, contents::mtp_projection);
        group.activation(Op::all_gather, phase, contents::mtp_projected, count);
        if (conventions.sp_regather)
            projection(Op::all_gather, contents::mtp_projection_regather);
        projection(Op::reduce_scatter, contents::mtp_projection);
        return group.activation(Op::all_gather, phase, contents::mtp_embedding, count);
    }
    const bool scatters = split_tokens && conventions.sp_reduce_scatter_embedding;
    if (phase == Phase::forward)
        group.activation(scatters ? Op::reduce_scatter : Op::all_reduce, phase, contents::mtp_embedding,
                         count);
    if (split_tokens)
        projection(Op::all_gather, contents::mtp_projection);
    group.activation(Op::all_gather, phase, contents::mtp_projected, count);
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
    group.setPart(ModelPart::embedding);
    group.add(Op::broadcast, Phase::forward, Dtype::int64, contents::batch_sizes, 5 * width, m);
    group.add(Op::broadcast, Phase::forward, Dtype::int64, contents::batch, numbers * width, m);
}

// With split tokens each rank has only its tokens' part of the gradients of what all of them hold.
void addReplicatedGradients(const IterationFigures& figures, const StageShape& shape, TensorGroup& group)
{
    const std::int64_t of_the_end = figures.final_norm + headTransformParameters(figures.scenario.model);
    std::int64_t parameters = shape.counts.encoder * figures.encoder_layer.replicated
                              + shape.counts.mtp * figures.mtp_extra.replicated
                              + (shape.last ? of_the_end : 0);
    shape.counts.decoder.each(
        [&](LayerForm form, std::int64_t layers) { parameters += layers * figures.layer(form).replicated; });
    group.setPart(ModelPart::none);
    group.add(Op::all_reduce, Phase::step, figures.gradient_dtype, contents::replicated_gradients,
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
    const std::vector<Block> blocks = blocksOf(figures, shape.counts);
    addForwardBlocks(figures, blocks, Phase::forward, group);
    addModules(figures, shape.counts.mtp, Phase::forward, group);
    if (shape.last) {
        addHeadAndLoss(figures, Phase::forward, group);
        addHeadAndLoss(figures, Phase::backward, group);
    }
    addModules(figures, shape.counts.mtp, Phase::backward, group);
    addModules(figures, shape.recomputed.mtp, Phase::recompute, group);
    addRepeatedBlocks(figures, shape, group);
    addBackwardBlocks(figures, blocks, group);
    if (shape.first)
        addEmbedding(figures, Phase::backward, group);
    if (scenario.parallel.sequence_parallel)
        addReplicatedGradients(figures, shape, group);
}

} // namespace shardscope

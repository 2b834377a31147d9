#include "core/prediction/model/parameter_tensors.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardscope
{

namespace
{

using Sizes = std::vector<std::int64_t>;

bool isMegatron(const Scenario& scenario)
{
    return scenario.conventions.framework == Framework::megatron;
}

// Megatron and GPT-2 keep queries, keys and values in one matrix, and both inputs of a gated MLP; Llama does
// not.
bool fusesMatrices(const Scenario& scenario)
{
    return isMegatron(scenario) || !scenario.model.gated_mlp;
}

// Appends a matrix, and its bias before it: both are ready together, the bias is visited first.
void appendLinear(Sizes& sizes, std::int64_t inputs, std::int64_t outputs, std::int64_t bias)
{
    if (bias > 0)
        sizes.push_back(bias);
    sizes.push_back(inputs * outputs);
}

std::size_t normTensors(const Model& model)
{
    return model.norm == Norm::layernorm ? 2 : 1;
}

void appendNorm(Sizes& sizes, const Model& model)
{
    sizes.insert(sizes.end(), normTensors(model), model.hidden_size);
}

// `share`: the part of its width that a rank holds.
void appendFeedForward(Sizes& sizes, const Scenario& scenario, std::int64_t share)
{
    const Model& model = scenario.model;
    const std::int64_t h = model.hidden_size;
    const std::int64_t inputs = model.gated_mlp ? 2 : 1;
    const std::int64_t matrices = fusesMatrices(scenario) ? 1 : inputs;
    appendLinear(sizes, share, h, model.linear_bias ? h : 0);
    for (std::int64_t i = 0; i < matrices; ++i) {
        const std::int64_t outputs = inputs / matrices * share;
        appendLinear(sizes, h, outputs, model.linear_bias ? outputs : 0);
    }
}

void appendOutputProjection(Sizes& sizes, const Scenario& scenario)
{
    const Model& model = scenario.model;
    const std::int64_t width = model.mla.kv_lora_rank > 0 ? model.mla.v_head_dim : model.head_dim;
    const std::int64_t heads = model.attention_heads / scenario.parallel.tensor;
    const bool has_bias = model.linear_bias && model.mla.kv_lora_rank == 0;
    appendLinear(sizes, heads * width, model.hidden_size, has_bias ? model.hidden_size : 0);
}

void appendLatents(Sizes& sizes, const Scenario& scenario)
{
    const Model& model = scenario.model;
    const Mla& mla = model.mla;
    const std::int64_t h = model.hidden_size;
    const std::int64_t heads = model.attention_heads / scenario.parallel.tensor;
    const std::int64_t query = heads * (mla.qk_nope_head_dim + mla.qk_rope_head_dim);
    sizes.push_back(mla.kv_lora_rank * heads * (mla.qk_nope_head_dim + mla.v_head_dim));
    sizes.push_back(mla.kv_lora_rank);
    sizes.push_back(h * (mla.kv_lora_rank + mla.qk_rope_head_dim));
    if (mla.q_lora_rank > 0) {
        sizes.push_back(mla.q_lora_rank * query);
        sizes.push_back(mla.q_lora_rank);
        sizes.push_back(h * mla.q_lora_rank);
    } else {
        sizes.push_back(h * query);
    }
}

// Of queries and of keys.
void appendHeadNorms(Sizes& sizes, const Model& model)
{
    if (!model.qk_norm)
        return;
    sizes.push_back(headNormParameters(model));
    sizes.push_back(headNormParameters(model));
}

// All of attention but its output projection.
void appendProjections(Sizes& sizes, const Scenario& scenario)
{
    const Model& model = scenario.model;
    if (model.mla.kv_lora_rank > 0)
        return appendLatents(sizes, scenario);
    const std::int64_t h = model.hidden_size;
    const std::int64_t tensor = scenario.parallel.tensor;
    const std::int64_t query = model.attention_heads * model.head_dim / tensor;
    const std::int64_t key = (model.kv_heads + tensor - 1) / tensor * model.head_dim;
    appendHeadNorms(sizes, model);
    const auto project = [&](std::int64_t outputs) {
        appendLinear(sizes, h, outputs, model.linear_bias || model.qkv_bias ? outputs : 0);
    };
    if (fusesMatrices(scenario))
        return project(query + 2 * key);
    project(key);
    project(key);
    project(query);
}

// Attention and the norm before it. Megatron-LM defines the output projection first, and has the norm in the
// product for queries, keys and values; latent attention's stands alone.
void appendAttention(Sizes& sizes, const Scenario& scenario, bool has_norm)
{
    const Model& model = scenario.model;
    const bool norm_is_first = !isMegatron(scenario) || model.mla.kv_lora_rank > 0;
    if (!isMegatron(scenario))
        appendOutputProjection(sizes, scenario);
    appendProjections(sizes, scenario);
    if (has_norm && !norm_is_first)
        appendNorm(sizes, model);
    if (isMegatron(scenario))
        appendOutputProjection(sizes, scenario);
    if (has_norm && norm_is_first)
        appendNorm(sizes, model);
}

// What kinds of layers there are, as lists of tensors.
enum class LayerKind : std::uint8_t { dense, moe, encoder };

// One layer, last operation first. `routed` receives the experts' tensors; it may be `dense`.
void appendLayer(Sizes& dense, Sizes& routed, const Scenario& scenario, LayerKind kind)
{
    const Model& model = scenario.model;
    const Experts& experts = model.experts;
    const Parallel& parallel = scenario.parallel;
    const auto appendShared = [&] {
        if (experts.shared > 0 && experts.shared_gate)
            dense.push_back(model.hidden_size);
        if (experts.shared > 0)
            appendFeedForward(dense, scenario, experts.shared * experts.ffn_hidden_size / parallel.tensor);
    };
    if (kind == LayerKind::moe) {
        if (isMegatron(scenario)) // which defines them last
            appendShared();
        for (std::int64_t i = 0; i < experts.count / parallel.expert; ++i)
            appendFeedForward(routed, scenario, experts.ffn_hidden_size / parallel.expertTensor());
        if (!isMegatron(scenario))
            appendShared();
        dense.push_back(model.hidden_size * experts.count);
    } else {
        appendFeedForward(dense, scenario, model.ffn_hidden_size / parallel.tensor);
    }
    for (std::int64_t norm = 1; norm < model.norms_per_layer; ++norm)
        appendNorm(dense, model);
    if (kind == LayerKind::dense && model.hasEncoder())
        appendAttention(dense, scenario, true);
    appendAttention(dense, scenario, model.norms_per_layer > 0);
}

// Of the output: BERT's heads, the head's own weights, the norms that end the stacks of layers.
void appendHead(Sizes& sizes, const IterationFigures& figures, bool has_own_weights)
{
    const Model& model = figures.scenario.model;
    const std::int64_t h = model.hidden_size;
    if (model.output_head == OutputHead::bert) {
        appendLinear(sizes, h, 2, 2);
        appendLinear(sizes, h, h, h);
    }
    if (hasHeadBias(model))
        sizes.push_back(figures.word_embedding / h);
    if (model.output_head == OutputHead::bert) {
        appendNorm(sizes, model);
        appendLinear(sizes, h, h, h);
    }
    if (has_own_weights)
        sizes.push_back(figures.word_embedding);
    if (model.final_norm)
        appendNorm(sizes, model);
}

void appendEmbedding(Sizes& sizes, const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    if (model.embedding_norm)
        appendNorm(sizes, model);
    if (model.token_types > 0)
        sizes.push_back(model.token_types * model.hidden_size);
    if (figures.positions > 0)
        sizes.push_back(figures.positions);
    sizes.push_back(figures.word_embedding);
}

GradientTensors listedTensors(const Model& model)
{
    GradientTensors tensors;
    tensors.dense.reserve(model.tensors.size());
    std::for_each(model.tensors.rbegin(), model.tensors.rend(), [&](const ParameterTensor& tensor) {
        tensors.dense_layers.push_back(tensors.dense.size());
        tensors.dense.push_back(tensor.parameters);
    });
    return tensors;
}

void append(Sizes& sizes, const Sizes& more)
{
    sizes.insert(sizes.end(), more.begin(), more.end());
}

// A module of multi-token prediction, last operation first: its final norm, its layer, the projection and the
// norms of what goes into it.
void appendModule(GradientTensors& tensors, const Scenario& scenario, const GradientTensors& layer)
{
    const Model& model = scenario.model;
    appendNorm(tensors.dense, model);
    append(tensors.dense, layer.dense);
    append(tensors.routed, layer.routed);
    tensors.dense.push_back(2 * model.hidden_size * model.hidden_size / scenario.parallel.tensor);
    appendNorm(tensors.dense, model);
    appendNorm(tensors.dense, model);
}

// The tensors of one layer of each sort that the stage holds.
struct LayerPatterns {
    GradientTensors plain;
    GradientTensors moe;
    GradientTensors encoder;
};

LayerPatterns layerPatterns(const IterationFigures& figures, const StageShape& shape)
{
    LayerPatterns patterns;
    auto& [plain, moe, encoder] = patterns;
    appendLayer(plain.dense, plain.routed, figures.scenario, LayerKind::dense);
    if (shape.moe_layers > 0)
        appendLayer(moe.dense, figures.experts_apart ? moe.routed : moe.dense, figures.scenario,
                    LayerKind::moe);
    if (shape.encoder_layers > 0)
        appendLayer(encoder.dense, encoder.routed, figures.scenario, LayerKind::encoder);
    return patterns;
}

// The copy that a last stage holds for multi-token prediction: its chunk's first tensors.
void appendEmbeddingCopy(GradientTensors& tensors, const IterationFigures& figures)
{
    appendEmbedding(tensors.dense, figures);
    tensors.shared_embedding = tensors.dense.size() - 1;
}

void appendLayers(GradientTensors& tensors, const IterationFigures& figures, const StageShape& shape,
                  const LayerPatterns& patterns)
{
    const Model& model = figures.scenario.model;
    bool lacks_copy = shape.embedding_copy;
    auto chunk = shape.later_chunks.rbegin();
    for (auto layer = shape.layers.rbegin(); layer != shape.layers.rend(); ++layer) {
        const auto behind = static_cast<std::size_t>(shape.layers.rend() - layer);
        if (chunk != shape.later_chunks.rend() && behind == *chunk) {
            ++chunk;
            if (std::exchange(lacks_copy, false))
                appendEmbeddingCopy(tensors, figures);
            tensors.dense_chunks.push_back(tensors.dense.size());
            tensors.routed_chunks.push_back(tensors.routed.size());
        }
        tensors.dense_layers.push_back(tensors.dense.size());
        tensors.routed_layers.push_back(tensors.routed.size());
        if (*layer < model.encoder_layers) {
            if (*layer + 1 == model.encoder_layers && model.final_norm)
                appendNorm(tensors.dense, model);
            append(tensors.dense, patterns.encoder.dense);
            continue;
        }
        const GradientTensors& kind = isMoeLayer(model, *layer) ? patterns.moe : patterns.plain;
        if (*layer >= model.layers + model.encoder_layers) {
            appendModule(tensors, figures.scenario, kind);
            continue;
        }
        append(tensors.dense, kind.dense);
        append(tensors.routed, kind.routed);
    }
    if (lacks_copy)
        appendEmbeddingCopy(tensors, figures);
}

} // namespace

GradientTensors gradientTensors(const IterationFigures& figures, const StageShape& shape)
{
    const Model& model = figures.scenario.model;
    if (model.kind == ModelKind::parameter_list)
        return listedTensors(model);
    const LayerPatterns patterns = layerPatterns(figures, shape);
    GradientTensors tensors;
    tensors.dense.reserve(
        shape.layers.size() * std::max(patterns.plain.dense.size(), patterns.moe.dense.size()) + 16);
    tensors.routed.reserve(static_cast<std::size_t>(shape.moe_layers) * patterns.moe.routed.size());
    if (shape.last) {
        const bool head_is_the_embedding = model.tied_embeddings && (shape.first || shape.embedding_copy);
        appendHead(tensors.dense, figures, !head_is_the_embedding);
        if (figures.embeddingsAreSynchronised() && !shape.embedding_copy)
            tensors.shared_embedding = tensors.dense.size() - 1 - (model.final_norm ? normTensors(model) : 0);
    }
    appendLayers(tensors, figures, shape, patterns);
    if (shape.first) {
        appendEmbedding(tensors.dense, figures);
        if (figures.embeddingsAreSynchronised())
            tensors.shared_embedding = tensors.dense.size() - 1;
    }
    return tensors;
}

} // namespace shardscope

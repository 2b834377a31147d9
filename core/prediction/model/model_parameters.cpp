#include "core/prediction/model/model_parameters.h"

#include "core/prediction/model/recurrence.h"

#include <algorithm>

namespace shardscope
{

namespace
{

std::int64_t ceilDivide(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

bool hasLatentAttention(const Model& model)
{
    return model.mla.kv_lora_rank > 0;
}

// Stacks of layers: an encoder and a decoder, or one of them.
std::int64_t stacks(const Model& model)
{
    return model.hasEncoder() ? 2 : 1;
}

// Low-rank projections down are whole on every rank; those up to the heads, and the output, are split by
// heads.
LayerParameters latentAttention(const Model& model, std::int64_t tensor)
{
    const Mla& mla = model.mla;
    const std::int64_t h = model.hidden_size;
    const std::int64_t heads = model.attention_heads / tensor;
    const std::int64_t query_dim = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
    LayerParameters count;
    std::int64_t norms = mla.kv_lora_rank;
    if (mla.q_lora_rank > 0) {
        norms += mla.q_lora_rank;
        count.replicated += h * mla.q_lora_rank;
        count.sharded += mla.q_lora_rank * heads * query_dim;
    } else {
        count.sharded += h * heads * query_dim;
    }
    count.replicated += h * (mla.kv_lora_rank + mla.qk_rope_head_dim);
    count.sharded += mla.kv_lora_rank * heads * (mla.qk_nope_head_dim + mla.v_head_dim);
    count.sharded += heads * mla.v_head_dim * h;
    count.dense_products = count.dense();
    count.replicated += norms;
    return count;
}

// With more ranks than key-value heads, each rank keeps a copy of the head that it needs.
LayerParameters groupedAttention(const Model& model, std::int64_t tensor)
{
    const std::int64_t h = model.hidden_size;
    const std::int64_t query = model.attention_heads * model.head_dim / tensor;
    const std::int64_t key = ceilDivide(model.kv_heads, tensor) * model.head_dim;
    LayerParameters count;
    const std::int64_t projected = (model.attention_gate ? 2 : 1) * query + 2 * key;
    count.sharded = h * projected + query * h;
    count.dense_products = count.sharded;
    if (model.linear_bias || model.qkv_bias)
        count.sharded += projected;
    if (model.linear_bias)
        count.replicated += h;
    if (model.qk_norm)
        count.replicated += 2 * headNormParameters(model);
    return count;
}

LayerParameters feedForward(const Model& model, std::int64_t width, std::int64_t tensor)
{
    const std::int64_t h = model.hidden_size;
    const std::int64_t inputs = model.gated_mlp ? 2 : 1;
    const std::int64_t share = width / tensor;
    LayerParameters count;
    count.sharded = (inputs + 1) * h * share;
    count.dense_products = count.sharded;
    if (model.linear_bias) {
        count.sharded += inputs * share;
        count.replicated += h;
    }
    return count;
}

ModelParameters countTensors(const Model& model)
{
    ModelParameters count;
    for (const ParameterTensor& tensor : model.tensors)
        count.total += tensor.parameters;
    count.active = count.total;
    return count;
}

// A norm's weight, and its bias where it has one.
std::int64_t normParameters(const Model& model)
{
    return model.norm == Norm::layernorm ? 2 * model.hidden_size : model.hidden_size;
}

} // namespace

void LayerParameters::add(const LayerParameters& part)
{
    sharded += part.sharded;
    replicated += part.replicated;
    untrained += part.untrained;
    routed += part.routed;
    dense_products += part.dense_products;
    routed_products += part.routed_products;
}

bool hasExperts(const Model& model)
{
    return model.hasExpertLayers();
}

LayerForm layerForm(const Model& model, std::int64_t layer)
{
    const std::vector<LayerForm>& pattern = model.layer_pattern;
    const Experts& experts = model.experts;
    if (!pattern.empty() && layer < model.layers)
        return pattern[static_cast<std::size_t>(layer) % pattern.size()];
    if (!pattern.empty())
        return hasExperts(model) ? LayerForm::attention_experts : LayerForm::attention_mlp;
    const std::int64_t like = std::min(layer, model.layers - 1);
    const bool has_experts =
        hasExperts(model) && like >= experts.first && (like - experts.first) % experts.every == 0;
    return has_experts ? LayerForm::attention_experts : LayerForm::attention_mlp;
}

LayersByForm<std::int64_t> layersByForm(const Model& model)
{
    const Experts& experts = model.experts;
    LayersByForm<std::int64_t> layers;
    if (model.layer_pattern.empty()) {
        const bool has_some = hasExperts(model) && experts.first < model.layers;
        const std::int64_t with_experts =
            has_some ? ceilDivide(model.layers - experts.first, experts.every) : 0;
        layers[LayerForm::attention_experts] = with_experts;
        layers[LayerForm::attention_mlp] = model.layers - with_experts;
        return layers;
    }
    for (std::int64_t layer = 0; layer < model.layers; ++layer)
        ++layers[layerForm(model, layer)];
    return layers;
}

LayersBySort layersBySort(const Model& model)
{
    LayersBySort layers{model.encoder_layers, layersByForm(model), model.mtp_layers};
    layers.decoder[layerForm(model, model.layers)] += model.mtp_layers;
    return layers;
}

std::int64_t headNormParameters(const Model& model)
{
    return model.norm == Norm::layernorm ? 2 * model.head_dim : model.head_dim;
}

std::int64_t positionParameters(const Model& model, std::int64_t tensor)
{
    constexpr std::int64_t distances = 32; // relative_attention_num_buckets of T5
    if (model.position_embedding == PositionEmbedding::relative)
        return stacks(model) * distances * model.attention_heads / tensor;
    if (model.position_embedding != PositionEmbedding::learned)
        return 0;
    const std::int64_t encoder = model.hasEncoder() ? model.encoderLength() : 0;
    return std::max(model.sequence_length, encoder) * model.hidden_size;
}

std::int64_t embeddingExtraParameters(const Model& model)
{
    return model.token_types * model.hidden_size + (model.embedding_norm ? normParameters(model) : 0);
}

std::int64_t finalNormParameters(const Model& model)
{
    return model.final_norm ? stacks(model) * normParameters(model) : 0;
}

std::int64_t headTransformParameters(const Model& model)
{
    const std::int64_t h = model.hidden_size;
    return model.output_head == OutputHead::bert ? h * h + h + normParameters(model) : 0;
}

std::int64_t sentenceHeadParameters(const Model& model)
{
    const std::int64_t h = model.hidden_size;
    return model.output_head == OutputHead::bert ? h * h + h + 2 * h + 2 : 0;
}

bool hasHeadBias(const Model& model)
{
    return model.head_bias || model.output_head == OutputHead::bert;
}

std::int64_t paddedVocabulary(const Model& model, std::int64_t tensor)
{
    const std::int64_t multiple = model.vocab_padding * tensor;
    return ceilDivide(model.vocab_size, multiple) * multiple;
}

std::int64_t expertParameters(const Model& model, std::int64_t expert_tensor)
{
    return feedForward(model, model.experts.ffn_hidden_size, expert_tensor).total();
}

LayerParameters layerParameters(const Model& model, LayerForm form, Shards shards)
{
    LayerParameters count;
    if (hasAttention(form))
        count = hasLatentAttention(model) ? latentAttention(model, shards.tensor)
                                          : groupedAttention(model, shards.tensor);
    else if (hasRecurrence(form))
        count = recurrenceParameters(model, shards.tensor);
    count.replicated += normsOf(model, form) * normParameters(model);
    if (hasMlp(form))
        count.add(feedForward(model, model.ffn_hidden_size, shards.tensor));
    if (!hasExperts(form))
        return count;
    const Experts& experts = model.experts;
    count.replicated += model.hidden_size * experts.count;
    count.untrained = experts.routing_bias ? experts.count : 0;
    const LayerParameters expert = feedForward(model, experts.ffn_hidden_size, shards.expert_tensor);
    count.routed = experts.count / shards.expert * expert.total();
    count.routed_products = experts.count / shards.expert * expert.dense_products;
    if (experts.shared > 0) {
        count.add(feedForward(model, experts.shared * experts.ffn_hidden_size, shards.tensor));
        count.replicated += experts.shared_gate ? model.hidden_size : 0;
    }
    return count;
}

std::int64_t normsOf(const Model& model, LayerForm form)
{
    return blocksOf(form) == 2 ? model.norms_per_layer : (model.norms_per_layer + 1) / 2;
}

LayerParameters crossAttentionParameters(const Model& model, std::int64_t tensor)
{
    LayerParameters count = groupedAttention(model, tensor);
    count.replicated += normParameters(model);
    return count;
}

LayerParameters mtpExtraParameters(const Model& model, std::int64_t tensor)
{
    constexpr std::int64_t norms = 3; // of the hidden state, of the embedding, of what goes to the head
    LayerParameters count;
    count.sharded = 2 * model.hidden_size * model.hidden_size / tensor;
    count.dense_products = count.sharded;
    count.replicated = norms * normParameters(model);
    return count;
}

ModelParameters countParameters(const Model& model)
{
    if (model.kind == ModelKind::parameter_list)
        return countTensors(model);
    const LayersBySort layers = layersBySort(model);
    const std::int64_t embeddings = (model.tied_embeddings ? 1 : 2) * model.vocab_size * model.hidden_size;
    const std::int64_t head_bias = hasHeadBias(model) ? model.vocab_size : 0;
    ModelParameters count;
    count.total = embeddings + positionParameters(model, 1) + embeddingExtraParameters(model)
                  + finalNormParameters(model) + headTransformParameters(model) + head_bias
                  + sentenceHeadParameters(model) + model.mtp_layers * mtpExtraParameters(model, 1).total();
    layers.decoder.each([&](LayerForm form, std::int64_t of_form) {
        count.total += of_form * layerParameters(model, form, {}).total();
    });
    if (model.hasEncoder())
        count.total += layers.encoder * layerParameters(model, encoder_layer_sort.form, {}).total()
                       + model.layers * crossAttentionParameters(model, 1).total();
    const std::int64_t moe_layers = layers.decoder.with(hasExperts);
    const std::int64_t idle_experts = model.experts.count - model.experts.per_token;
    count.active = count.total;
    if (moe_layers > 0)
        count.active -= moe_layers * idle_experts * expertParameters(model, 1);
    return count;
}

} // namespace shardscope

#include "core/prediction/model/layer_traits.h"

#include "core/base/quantity.h"
#include "core/prediction/model/expert_routing.h"
#include "core/prediction/model/model_parameters.h"
#include "core/scenario/pytorch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardscope
{

namespace
{

std::int64_t widthOfExperts(const Experts& experts, double rows)
{
    return std::llround((rows + static_cast<double>(experts.shared))
                        * static_cast<double>(experts.ffn_hidden_size));
}

constexpr std::int64_t most_step_bytes = 16;

// Products in fp8 and fp4 have their attention and their logits in 16 bits.
std::int64_t stepBytes(const Scenario& scenario, std::int64_t numbers)
{
    const std::int64_t number_bytes = scenario.training.precision == Precision::fp32 ? 4 : 2;
    return std::gcd(numbers * number_bytes, most_step_bytes);
}

} // namespace

LayerSort layerSort(const Model& model, std::int64_t layer)
{
    if (layer < model.encoder_layers)
        return encoder_layer_sort;
    const std::int64_t of_decoder = layer - model.encoder_layers;
    return {of_decoder < model.layers ? LayerSort::Stack::decoder : LayerSort::Stack::modules,
            layerForm(model, of_decoder)};
}

LayerSort moduleSort(const Model& model)
{
    return layerSort(model, model.encoder_layers + model.layers);
}

std::int64_t attentionProductWidth(const Model& model)
{
    const Mla& mla = model.mla;
    if (mla.kv_lora_rank == 0)
        return model.attention_heads * 2 * model.head_dim;
    return model.attention_heads * (mla.qk_nope_head_dim + mla.qk_rope_head_dim + mla.v_head_dim);
}

std::int64_t attentionOutputWidth(const Model& model)
{
    return model.attention_heads * (model.mla.kv_lora_rank == 0 ? model.head_dim : model.mla.v_head_dim);
}

std::int64_t mlpWidth(const Model& model, LayerForm form)
{
    if (hasExperts(form))
        return widthOfExperts(model.experts, choicesPerToken(model.experts));
    return hasMlp(form) ? model.ffn_hidden_size : 0;
}

std::int64_t computedMlpWidth(const IterationFigures& figures, LayerForm form)
{
    const Model& model = figures.scenario.model;
    return hasExperts(form) ? widthOfExperts(model.experts, figures.expert_rows) : mlpWidth(model, form);
}

std::int64_t mostTensor(const Model& model)
{
    std::int64_t most = model.hasAttentionLayers() ? model.attention_heads : model.recurrence.heads;
    if (model.hasForm(hasRecurrence))
        most = std::min(most, model.recurrence.key_groups);
    return most;
}

double layersOfTwoBlocks(const Model& model)
{
    std::int64_t blocks = 0;
    const LayersBySort layers = layersBySort(model);
    layers.decoder.each([&](LayerForm form, std::int64_t of_form) { blocks += of_form * blocksOf(form); });
    return asDouble(blocks) / 2.0;
}

double layerTensors(const Model& model)
{
    const std::int64_t of_product = model.linear_bias ? 2 : 1;
    const std::int64_t of_recurrence = model.recurrence.kind == RecurrenceKind::mamba2 ? 8 : 7;
    std::int64_t tensors = 0;
    std::int64_t layers = 0;
    layersBySort(model).decoder.each([&](LayerForm form, std::int64_t of_form) {
        const bool has_products = hasMlp(form) || hasExperts(form);
        const std::int64_t of_layer = (hasAttention(form) ? 2 * of_product : 0)
                                      + (hasRecurrence(form) ? of_recurrence : 0)
                                      + (has_products ? 2 * of_product : 0)
                                      + normsOf(model, form) * (model.norm == Norm::layernorm ? 2 : 1);
        tensors += of_form * of_layer;
        layers += of_form;
    });
    return layers > 0 ? asDouble(tensors) / asDouble(layers) : 1.0;
}

bool looksBothWays(const Model& model)
{
    return model.output_head == OutputHead::bert;
}

double shareInWindows(const Model& model)
{
    if (model.sliding_window == 0 || model.sliding_window >= model.sequence_length || looksBothWays(model))
        return 1.0;
    // The first w tokens of s look at all before them, as without a window: w s - w^2 / 2 of s^2 / 2.
    const double part = asDouble(model.sliding_window) / asDouble(model.sequence_length);
    const double in_window = part * (2.0 - part);
    const std::int64_t layers = std::max<std::int64_t>(1, layersByForm(model).with(hasAttention));
    const std::int64_t whole = model.full_attention_every > 0 ? layers / model.full_attention_every : 0;
    const double share_of_whole = asDouble(whole) / asDouble(layers);
    return share_of_whole + (1.0 - share_of_whole) * in_window;
}

bool dropsOut(const Model& model)
{
    return model.linear_bias && !model.gated_mlp && model.position_embedding == PositionEmbedding::learned;
}

bool checkpointsOperators(const Scenario& scenario)
{
    return scenario.training.recompute == Recompute::selective
           && scenario.conventions.framework == Framework::fsdp;
}

bool worksInBlocks(const Parallel& parallel)
{
    return parallel.context > 1 && parallel.context_method != ContextMethod::ulysses;
}

bool storesScores(const Scenario& scenario)
{
    return !scenario.training.flash_attention && !worksInBlocks(scenario.parallel);
}

bool gathersForRouters(const Scenario& scenario)
{
    return isPyTorch(scenario.conventions.framework);
}

bool exchangesLatents(const Scenario& scenario)
{
    const Framework framework = scenario.conventions.framework;
    return scenario.model.mla.kv_lora_rank > 0
           && (framework == Framework::megatron || framework == Framework::deepspeed);
}

bool keepsQuantized(const Scenario& scenario)
{
    return quantizesProducts(scenario.training.precision)
           && scenario.conventions.framework == Framework::megatron;
}

bool hasAlignedHeads(const Scenario& scenario)
{
    const bool is_latent = scenario.model.mla.kv_lora_rank > 0; // widths of its own, all of them aligned
    return is_latent || stepBytes(scenario, scenario.model.head_dim) == most_step_bytes;
}

std::int64_t logitStepBytes(const Scenario& scenario)
{
    const std::int64_t tensor = scenario.parallel.tensor;
    return stepBytes(scenario, paddedVocabulary(scenario.model, tensor) / tensor);
}

} // namespace shardscope

#include "core/prediction/time/layers_held.h"

#include "core/base/quantity.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/recomputation.h"

#include <algorithm>
#include <tuple>

namespace shardscope
{

namespace
{

LayersHeld held(const LayersBySort& layers)
{
    LayersHeld counts;
    counts.all = asDouble(layers.all());
    counts.with_experts = asDouble(layers.decoder.with(hasExperts));
    counts.recurrences = asDouble(layers.decoder.with(hasRecurrence));
    counts.attentions = asDouble(layers.decoder.with(hasAttention) + layers.encoder);
    counts.modules = asDouble(layers.mtp);
    counts.blocks = asDouble(layers.encoder * blocksOf(encoder_layer_sort.form));
    layers.decoder.each(
        [&](LayerForm form, std::int64_t of_form) { counts.blocks += asDouble(of_form * blocksOf(form)); });
    return counts;
}

LayersHeld layersHeld(const Model& model, const StagePrediction& stage)
{
    LayersBySort layers;
    for (const int layer : stage.layers) {
        const LayerSort sort = layerSort(model, layer);
        if (sort.isOfEncoder())
            ++layers.encoder;
        else
            ++layers.decoder[sort.form];
        if (sort.isModule())
            ++layers.mtp;
    }
    return held(layers);
}

// Blocks of layers that hasExperts() says it of, or not.
double blocksOfStage(const Model& model, const StagePrediction& stage, bool with_experts)
{
    double blocks = 0.0;
    for (const int layer : stage.layers)
        if (const LayerForm form = layerSort(model, layer).form; hasExperts(form) == with_experts)
            blocks += asDouble(blocksOf(form));
    return blocks;
}

LayersHeld layersAgain(const Scenario& scenario, const StagePrediction& stage, const LayersHeld& all)
{
    LayersHeld again;
    if (scenario.training.recompute == Recompute::none)
        return again;
    if (scenario.training.recompute == Recompute::full) {
        return held(stage.recomputed);
    }
    again = all;
    const Repeats repeats = repeatsOfOthers(scenario);
    const bool has_projections =
        repeats.has(RecomputeModule::mla_up_proj) && scenario.model.mla.kv_lora_rank > 0;
    again.dense_send = has_projections || repeats.has(RecomputeModule::mlp);
    again.experts_send =
        has_projections || repeats.has(RecomputeModule::moe) || repeats.has(RecomputeModule::shared_experts);
    const Model& model = scenario.model;
    again.blocks = (again.dense_send ? blocksOfStage(model, stage, false) : 0.0)
                   + (again.experts_send ? blocksOfStage(model, stage, true) : 0.0);
    return again;
}

} // namespace

StageLayers::StageLayers(const Scenario& scenario, const StagePrediction& stage)
    : m_all{layersHeld(scenario.model, stage)}, m_again{layersAgain(scenario, stage, m_all)}
{
}

bool sendAlike(const StagePrediction& a, const StagePrediction& b)
{
    const auto are_same = [](const Message& one, const Message& other) {
        return std::tie(one.kind, one.op, one.phase, one.part, one.what, one.message_bytes, one.count)
               == std::tie(other.kind, other.op, other.phase, other.part, other.what, other.message_bytes,
                           other.count);
    };
    const auto go_together = [](const GradientBucket& one, const GradientBucket& other) {
        return std::tie(one.reduced, one.gathered, one.ready)
               == std::tie(other.reduced, other.gathered, other.ready);
    };
    return std::ranges::equal(a.messages, b.messages, are_same)
           && std::ranges::equal(a.buckets, b.buckets, go_together);
}

} // namespace shardscope

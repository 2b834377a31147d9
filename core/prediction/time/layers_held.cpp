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

LayersHeld layersHeld(const Model& model, const StagePrediction& stage)
{
    LayersHeld counts;
    counts.all = counts.of_tensor = static_cast<double>(stage.layers.size());
    const auto with = [&](auto has) {
        return static_cast<double>(
            std::ranges::count_if(stage.layers, [&](int layer) { return has(layerSort(model, layer)); }));
    };
    if (hasExperts(model))
        counts.with_experts = with([&](LayerSort sort) { return hasRoutedExperts(model, sort); });
    if (model.mtp_layers > 0)
        counts.modules = with([](LayerSort sort) { return sort == LayerSort::mtp; });
    return counts;
}

LayersHeld layersAgain(const Scenario& scenario, const StagePrediction& stage, const LayersHeld& all)
{
    LayersHeld again;
    if (scenario.training.recompute == Recompute::none)
        return again;
    if (scenario.training.recompute == Recompute::full) {
        again.all = again.of_tensor = asDouble(stage.recomputed.all());
        again.with_experts = asDouble(stage.recomputed.moe);
        again.modules = asDouble(stage.recomputed.mtp);
        return again;
    }
    again = all;
    const Repeats repeats = repeatsOfOthers(scenario);
    const bool has_projections =
        repeats.has(RecomputeModule::mla_up_proj) && scenario.model.mla.kv_lora_rank > 0;
    again.dense_send = has_projections || repeats.has(RecomputeModule::mlp);
    again.experts_send =
        has_projections || repeats.has(RecomputeModule::moe) || repeats.has(RecomputeModule::shared_experts);
    again.of_tensor =
        (again.dense_send ? all.all - all.with_experts : 0.0) + (again.experts_send ? all.with_experts : 0.0);
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

#include "core/prediction/model/recomputation.h"

#include "core/base/quantity.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/model_parameters.h"
#include "core/scenario/recomputation_words.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace shardscope
{

Repeats repeatsOf(const Scenario& scenario)
{
    const Training& training = scenario.training;
    if (training.recompute == Recompute::none)
        return no_repeats;
    if (training.recompute == Recompute::full)
        return whole_layer;
    if (checkpointsOperators(scenario))
        return {false, true, {}};
    Repeats repeats;
    if (hasRecomputeModules(scenario.conventions.framework))
        for (const RecomputeModule module : training.recompute_modules)
            repeats.modules.add(module);
    if (repeats.modules.isEmpty())
        repeats.modules.add(RecomputeModule::core_attn);
    return repeats;
}

Repeats repeatsOfOthers(const Scenario& scenario)
{
    return scenario.training.recompute == Recompute::full ? no_repeats : repeatsOf(scenario);
}

bool hasModule(const Model& model, RecomputeModule module)
{
    const LayersByForm<std::int64_t> layers = layersBySort(model).decoder;
    const std::int64_t moe_layers = layers.with(hasExperts);
    const bool has_attention = layers.with(hasAttention) > 0;
    switch (module) {
    case RecomputeModule::core_attn:
        return has_attention;
    case RecomputeModule::layernorm: {
        bool has_some = false;
        layers.each([&](LayerForm form, std::int64_t) { has_some |= normsAlone(model, form) > 0; });
        return has_some;
    }
    case RecomputeModule::mla_up_proj:
        return has_attention && model.mla.kv_lora_rank > 0;
    case RecomputeModule::mlp:
        return layers.with(hasMlp) > 0 || model.hasEncoder();
    case RecomputeModule::shared_experts:
        return moe_layers > 0 && model.experts.shared > 0;
    case RecomputeModule::moe:
    case RecomputeModule::moe_act:
        break;
    }
    return moe_layers > 0;
}

std::int64_t normsAlone(const Model& model, LayerForm form)
{
    const std::int64_t alone =
        (hasAttention(form) && model.mla.kv_lora_rank > 0 ? 1 : 0) + (hasExperts(form) ? 1 : 0);
    const std::int64_t blocks = blocksOf(form);
    const std::int64_t before_blocks = std::min(normsOf(model, form), blocks);
    return before_blocks == blocks ? alone : before_blocks * (alone / blocks);
}

std::int64_t normsAgain(const Model& model, LayerForm form, RecomputeModules modules)
{
    const bool is_own = normsOf(model, form) >= blocksOf(form); // of the MLP
    return (modules.has(RecomputeModule::layernorm) ? normsAlone(model, form) : 0)
           + (hasMlp(form) && is_own && modules.has(RecomputeModule::mlp) ? 1 : 0);
}

std::vector<RecomputeModule> modulesWorthTrying(const Scenario& scenario)
{
    const std::vector<RecomputeModule>& own = scenario.training.recompute_modules;
    if (!hasRecomputeModules(scenario.conventions.framework))
        return {};
    if (storesScores(scenario) || scenario.conventions.framework != Framework::megatron)
        return own;
    std::set<RecomputeModule> modules{own.begin(), own.end()};
    modules.insert({RecomputeModule::layernorm, RecomputeModule::mla_up_proj, RecomputeModule::moe_act});
    modules.erase(RecomputeModule::core_attn);
    std::erase_if(modules, [&](RecomputeModule module) { return !hasModule(scenario.model, module); });
    return {modules.begin(), modules.end()};
}

std::int64_t layersOfVirtualStage(const Scenario& scenario)
{
    const Parallel& parallel = scenario.parallel;
    const double parts = asDouble(parallel.pipeline) * asDouble(parallel.virtual_stages);
    const double ends = parallel.stage_balance == StageBalance::ends_count ? 2.0 : 0.0;
    const double even = std::ceil((asDouble(scenario.model.layers) + ends) / std::max(1.0, parts));
    const std::vector<std::int64_t>& given = parallel.stage_layers;
    const std::int64_t layers = given.empty() ? std::llround(std::min(even, asDouble(scenario.model.layers)))
                                              : *std::ranges::max_element(given);
    return std::max({std::int64_t{1}, layers, scenario.model.encoder_layers});
}

std::int64_t wholeLayersAgain(const Training& training, std::int64_t layers)
{
    if (training.recompute != Recompute::full)
        return 0;
    return training.recompute_layers == 0 ? layers : std::min(training.recompute_layers, layers);
}

bool repeatsPredictionModules(const Training& training)
{
    return training.recompute == Recompute::full && training.recompute_layers == 0;
}

} // namespace shardscope

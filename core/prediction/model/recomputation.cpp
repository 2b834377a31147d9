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
    const std::int64_t moe_layers = moeLayers(model) + mtpMoeLayers(model);
    const bool is_latent = model.mla.kv_lora_rank > 0;
    switch (module) {
    case RecomputeModule::core_attn:
        return true;
    case RecomputeModule::layernorm:
        return normsAlone(model, false) > 0 || (moe_layers > 0 && normsAlone(model, true) > 0);
    case RecomputeModule::mla_up_proj:
        return is_latent;
    case RecomputeModule::mlp:
        return moe_layers < model.layers + model.mtp_layers;
    case RecomputeModule::shared_experts:
        return moe_layers > 0 && model.experts.shared > 0;
    case RecomputeModule::moe:
    case RecomputeModule::moe_act:
        break;
    }
    return moe_layers > 0;
}

std::int64_t normsAlone(const Model& model, bool moe)
{
    const std::int64_t alone = (model.mla.kv_lora_rank > 0 ? 1 : 0) + (moe ? 1 : 0);
    const std::int64_t before_blocks = std::min<std::int64_t>(model.norms_per_layer, 2);
    return before_blocks == 2 ? alone : before_blocks * (alone / 2);
}

std::int64_t normsAgain(const Model& model, bool moe, RecomputeModules modules)
{
    const bool is_own = model.norms_per_layer >= 2; // of the MLP
    return (modules.has(RecomputeModule::layernorm) ? normsAlone(model, moe) : 0)
           + (!moe && is_own && modules.has(RecomputeModule::mlp) ? 1 : 0);
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

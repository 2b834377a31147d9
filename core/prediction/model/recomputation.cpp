#include "core/prediction/model/recomputation.h"

#include "core/base/quantity.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/model_parameters.h"
#include "core/scenario/pytorch.h"

#include <algorithm>
#include <cmath>

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

bool hasRecomputeModules(Framework framework)
{
    return !isPyTorch(framework);
}

bool hasModule(const Model& model, RecomputeModule module)
{
    const std::int64_t moe_layers = moeLayers(model) + mtpMoeLayers(model);
    const bool is_latent = model.mla.kv_lora_rank > 0;
    switch (module) {
    case RecomputeModule::core_attn:
        return true;
    case RecomputeModule::layernorm:
        return is_latent || moe_layers > 0;
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

std::vector<RecomputeModule> modulesWorthTrying(const Scenario& scenario)
{
    const bool has_better = scenario.conventions.framework == Framework::megatron && !storesScores(scenario);
    if (!scenario.training.recompute_modules.empty() || !has_better)
        return scenario.training.recompute_modules;
    std::vector<RecomputeModule> modules{RecomputeModule::layernorm, RecomputeModule::mla_up_proj,
                                         RecomputeModule::moe_act};
    std::erase_if(modules, [&](RecomputeModule module) { return !hasModule(scenario.model, module); });
    return modules;
}

std::int64_t layersOfVirtualStage(const Scenario& scenario)
{
    const double parts = asDouble(scenario.parallel.pipeline) * asDouble(scenario.parallel.virtual_stages);
    const double layers = std::ceil(asDouble(scenario.model.layers) / std::max(1.0, parts));
    return std::max<std::int64_t>(1, std::llround(layers));
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

#include "core/scenario/recomputation_words.h"

#include "core/scenario/pytorch.h"
#include "core/scenario/words.h"

namespace shardscope
{

namespace
{

std::string modulesOf(const Training& training)
{
    std::string list;
    for (const RecomputeModule module : training.recompute_modules)
        list += (list.empty() ? "" : ", ") + std::string{word(module)};
    return list;
}

bool isOfModules(const Scenario& scenario)
{
    const Training& training = scenario.training;
    return training.recompute == Recompute::selective && !training.recompute_modules.empty()
           && hasRecomputeModules(scenario.conventions.framework);
}

bool isOfSomeLayers(const Training& training)
{
    return training.recompute == Recompute::full && training.recompute_layers > 0;
}

} // namespace

bool hasRecomputeModules(Framework framework)
{
    return !isPyTorch(framework);
}

std::string recomputationWords(const Scenario& scenario)
{
    const Training& training = scenario.training;
    if (training.recompute == Recompute::none)
        return "no recomputation";
    if (isOfModules(scenario))
        return "recomputation of " + modulesOf(training);
    if (!isOfSomeLayers(training))
        return std::string{word(training.recompute)} + " recomputation";
    const bool is_one = training.recompute_layers == 1;
    const bool has_virtual_stages = scenario.parallel.virtual_stages > 1;
    return "recomputation of " + std::to_string(training.recompute_layers)
           + (is_one ? " layer a " : " layers a ") + (has_virtual_stages ? "virtual stage" : "stage");
}

std::string recomputationBrief(const Scenario& scenario)
{
    const Training& training = scenario.training;
    if (isOfModules(scenario))
        return modulesOf(training);
    const std::string text{word(training.recompute)};
    return isOfSomeLayers(training) ? text + ' ' + std::to_string(training.recompute_layers) : text;
}

} // namespace shardscope

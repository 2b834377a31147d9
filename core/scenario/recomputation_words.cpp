#include "core/scenario/recomputation_words.h"

#include "core/scenario/pytorch.h"
#include "core/scenario/words.h"

namespace shardscope
{

namespace
{

bool isOfSomeLayers(const Training& training)
{
    return training.recompute == Recompute::full && training.recompute_layers > 0;
}

} // namespace

bool hasRecomputeModules(Framework framework)
{
    return !isPyTorch(framework);
}

bool recomputesModules(const Scenario& scenario)
{
    const Training& training = scenario.training;
    return training.recompute == Recompute::selective && !training.recompute_modules.empty()
           && hasRecomputeModules(scenario.conventions.framework);
}

std::string moduleList(const std::vector<RecomputeModule>& modules, std::string_view separator)
{
    std::string list;
    for (const RecomputeModule module : modules)
        list.append(list.empty() ? "" : separator).append(word(module));
    return list;
}

std::string recomputationWords(const Scenario& scenario)
{
    const Training& training = scenario.training;
    if (training.recompute == Recompute::none)
        return "no recomputation";
    if (recomputesModules(scenario))
        return "recomputation of " + moduleList(training.recompute_modules);
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
    if (recomputesModules(scenario))
        return moduleList(training.recompute_modules);
    const std::string text{word(training.recompute)};
    return isOfSomeLayers(training) ? text + ' ' + std::to_string(training.recompute_layers) : text;
}

} // namespace shardscope

#include "core/scenario/recomputation_words.h"

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

bool isOfModules(const Training& training)
{
    return training.recompute == Recompute::selective && !training.recompute_modules.empty();
}

bool isOfSomeLayers(const Training& training)
{
    return training.recompute == Recompute::full && training.recompute_layers > 0;
}

} // namespace

std::string recomputationWords(const Training& training)
{
    if (training.recompute == Recompute::none)
        return "no recomputation";
    if (isOfModules(training))
        return "recomputation of " + modulesOf(training);
    if (!isOfSomeLayers(training))
        return std::string{word(training.recompute)} + " recomputation";
    const bool is_one = training.recompute_layers == 1;
    return "recomputation of " + std::to_string(training.recompute_layers)
           + (is_one ? " layer a stage" : " layers a stage");
}

std::string recomputationBrief(const Training& training)
{
    if (isOfModules(training))
        return modulesOf(training);
    const std::string text{word(training.recompute)};
    return isOfSomeLayers(training) ? text + ' ' + std::to_string(training.recompute_layers) : text;
}

} // namespace shardscope

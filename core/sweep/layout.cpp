#include "core/sweep/layout.h"

#include "core/scenario/defaults.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/words.h"

namespace shardscope
{

Scenario withLayout(const Scenario& base, const Layout& layout)
{
    Scenario scenario = base;
    scenario.parallel = layout.parallel;
    scenario.training.micro_batch_size = layout.micro_batch_size;
    scenario.training.recompute = layout.recompute;
    scenario.training.recompute_layers = layout.recompute_layers;
    scenario.training.recompute_modules = layout.recompute_modules;
    scenario.conventions = conventionsThere(base, scenario);
    return scenario;
}

Layout layoutOf(const Scenario& scenario)
{
    const Training& training = scenario.training;
    Layout layout{scenario.parallel, training.micro_batch_size, training.recompute,
                  training.recompute_layers};
    if (hasRecomputeModules(scenario.conventions.framework))
        layout.recompute_modules = training.recompute_modules;
    return layout;
}

Scenario foundScenario(const Scenario& base, const Layout& layout)
{
    Scenario scenario = withLayout(base, layout);
    const std::string& model = base.model.preset;
    scenario.name = (model.empty() ? "" : model + ", ") + layoutText(layout);
    return scenario;
}

std::vector<ScenarioDifference> followingConventions(const Scenario& base, const Layout& layout)
{
    return followingConventions(base, withLayout(base, layout));
}

std::vector<ScenarioDifference> followingConventions(const Scenario& base, const Scenario& made)
{
    if (made.conventions == base.conventions)
        return {};
    Scenario there = base;
    there.conventions = made.conventions;
    return differences(base, there);
}

std::string degreesText(const Parallel& parallel)
{
    const bool splits_sequences = parallel.context > 1;
    std::string text = splits_sequences ? "(p, t, c, d) = (" : "(p, t, d) = (";
    text += std::to_string(parallel.pipeline) + ", " + std::to_string(parallel.tensor) + ", ";
    if (splits_sequences)
        text += std::to_string(parallel.context) + ", ";
    text += std::to_string(parallel.data) + ")";
    if (parallel.expert > 1)
        text += ", ep " + std::to_string(parallel.expert);
    if (parallel.holdsExpertsWhole())
        text += ", etp 1";
    return text;
}

std::string layoutText(const Layout& layout)
{
    const Parallel& parallel = layout.parallel;
    std::string text = degreesText(parallel) + ", micro-batch " + std::to_string(layout.micro_batch_size);
    if (parallel.pipeline > 1)
        text += ", " + std::string{word(parallel.schedule)};
    if (parallel.schedule == Schedule::interleaved)
        text += " " + std::to_string(parallel.virtual_stages);
    text += ", ZeRO " + std::to_string(parallel.zero_stage);
    if (parallel.sequence_parallel)
        text += ", sequence parallel";
    Scenario scenario;
    scenario.parallel = parallel;
    scenario.training.recompute = layout.recompute;
    scenario.training.recompute_layers = layout.recompute_layers;
    scenario.training.recompute_modules = layout.recompute_modules;
    return text + ", " + recomputationWords(scenario);
}

} // namespace shardscope

// What the backward pass computes again.
#include "widgets/panels/scenario/scenario_figures.h"
#include "widgets/panels/scenario/scenario_stops.h"
#include "widgets/session/shown_text.h"

#include "core/prediction/model/recomputation.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool isFull(const Scenario& scenario)
{
    return scenario.training.recompute == Recompute::full;
}

bool hasModules(const Scenario& scenario)
{
    return scenario.training.recompute == Recompute::selective
           && hasRecomputeModules(scenario.conventions.framework);
}

QString modulesText(const Scenario& scenario)
{
    return toQString(moduleList(scenario.training.recompute_modules));
}

Result<Scenario> withModules(Scenario scenario, const QString& text)
{
    std::vector<RecomputeModule> modules;
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const auto module = fromWord<RecomputeModule>(part.trimmed().toStdString());
        if (!module)
            return Error{"Write modules with commas between: core_attn, layernorm, mla_up_proj, mlp, moe, "
                         "moe_act, shared_experts."};
        if (std::ranges::find(modules, *module) == modules.end())
            modules.push_back(*module);
    }
    std::ranges::sort(modules);
    scenario.training.recompute_modules = std::move(modules);
    return scenario;
}

} // namespace

ChoiceFigure recomputeFigure()
{
    return choice<&Scenario::training, &Training::recompute>(
        {"training.recompute", "Recompute", "", "Which activations are computed again in the backward pass."},
        {{"none", "All activations are kept"},
         {"selective", "The attention scores, or the modules named below, are computed again; with FSDP, "
                       "every second product"},
         {"full", "Only the input of a layer is kept, of all layers or of those below"}});
}

// All of them are 0 in a file, so that more layers or fewer stages stay all.
NumberFigure layersAgainFigure()
{
    NumberFigure layers = number<&Scenario::training, &Training::recompute_layers>(
        {"training.recompute_layers", "Layers again", "",
         "Of each stage, or virtual stage, the first so many keep only their input; the others keep all "
         "their activations."},
        layersAgainStops);
    layers.get = [](const Scenario& scenario) {
        const std::int64_t all = layersOfVirtualStage(scenario);
        const std::int64_t given = scenario.training.recompute_layers;
        return static_cast<double>(given == 0 ? all : std::min(given, all));
    };
    layers.set = [](Scenario scenario, double value) {
        const bool are_all = value >= static_cast<double>(layersOfVirtualStage(scenario));
        scenario.training.recompute_layers = are_all ? 0 : static_cast<std::int64_t>(value);
        return scenario;
    };
    layers.applies = isFull;
    return layers;
}

TextFigure modulesAgainFigure()
{
    return TextFigure{
        {"training.recompute_modules", "Modules again", "",
         "Parts of a layer that are computed again, by Megatron-Core's names, with commas "
         "between: core_attn, layernorm, mla_up_proj, mlp, moe, moe_act, shared_experts. "
         "Empty: core_attn."},
        modulesText,
        withModules,
        {"core_attn", "mlp", "moe_act", "moe_act, layernorm", "mla_up_proj, mlp, moe_act", "core_attn, moe"},
        "core_attn",
        hasModules};
}

} // namespace shardscope

// Layers that are not all alike: their pattern, and the recurrences of hybrid models.
#include "widgets/panels/scenario/scenario_figures.h"

#include "core/scenario/layer_form_words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool recurs(const Scenario& scenario)
{
    return scenario.model.recurrence.heads > 0
           || std::ranges::any_of(scenario.model.layer_pattern,
                                  [](LayerForm form) { return hasRecurrence(form); });
}

QString patternText(const Scenario& scenario)
{
    return toQString(layerPatternText(scenario.model.layer_pattern));
}

Result<Scenario> withPattern(Scenario scenario, const QString& text)
{
    auto pattern = layerPattern(text.toStdString());
    if (!pattern)
        return pattern.error();
    scenario.model.layer_pattern = std::move(pattern).value();
    return scenario;
}

TextFigure patternFigure()
{
    return {
        {"model.layer_pattern", "Layer pattern", "",
         "A word for each layer, over and over until all have one: * attention or M a recurrence, then - an "
         "MLP or E experts; one letter alone is a layer of that block. Megatron-LM's patterns can be pasted. "
         "Empty: attention in all."},
        patternText,
        withPattern,
        {"ME ME ME *E", "M- M- M- M- M- *- M- M- M- M-", "M - M - M - M * -"},
        "attention in all",
        nullptr};
}

template<class Figure>
Figure ofRecurrence(Figure figure)
{
    figure.applies = recurs;
    return figure;
}

ToggleFigure gateFigure()
{
    ToggleFigure gate = toggle<&Scenario::model, &Model::attention_gate>(
        {"model.attention_gate", "Attention gate", "",
         "Queries come with a gate as wide, on what attention returns (Qwen3-Next)."});
    gate.applies = [](const Scenario& scenario) {
        return scenario.model.mla.kv_lora_rank == 0 && !scenario.model.hasEncoder();
    };
    return gate;
}

} // namespace

std::vector<ScenarioControl> layerFigures()
{
    constexpr auto model = &Scenario::model;
    constexpr auto recurrence = &Model::recurrence;
    return {
        patternFigure(),
        ofRecurrence(choice<model, recurrence, &Recurrence::kind>(
            {"model.recurrence.kind", "Recurrence", "", "What the layers with M carry from token to token."},
            {{"Mamba-2", "State space duality (Nemotron-H, Granite 4, Bamba)"},
             {"gated delta rule", "Gated DeltaNet (Qwen3-Next)"}})),
        ofRecurrence(
            number<model, recurrence, &Recurrence::heads>({"model.recurrence.heads", "Recurrence heads", "",
                                                           "Of values; 0: the model has no recurrence."})),
        ofRecurrence(number<model, recurrence, &Recurrence::value_dim>(
            {"model.recurrence.value_dim", "Value width", "dv", "Of a recurrence's head."})),
        ofRecurrence(number<model, recurrence, &Recurrence::key_groups>(
            {"model.recurrence.key_groups", "Key groups", "",
             "Of keys and queries, which heads share: Mamba-2's groups of B and C."})),
        ofRecurrence(number<model, recurrence, &Recurrence::key_dim>(
            {"model.recurrence.key_dim", "Key width", "dk",
             "Of a key and of a query: with dv the size of a head's state."})),
        ofRecurrence(number<model, recurrence, &Recurrence::conv_kernel>(
            {"model.recurrence.conv_kernel", "Convolution", "",
             "Tokens that the short convolution before the recurrence reaches over."})),
        gateFigure()};
}

} // namespace shardscope

// Hybrid models in the arguments of Megatron-LM: each layer is one block, attention, Mamba-2, gated delta
// rule, an MLP or experts.
#include "core/scenario/layer_form_words.h"
#include "core/scenario/megatron/hybrid_pattern.h"
#include "core/scenario/megatron/recurrence_arguments.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool hasLetter(std::string_view letters, char letter)
{
    return letters.find(letter) != std::string_view::npos;
}

// From 0 to 1, and with `rest` not above.
double shareTold(ArgumentReading& reading, std::string_view name, double rest)
{
    const auto told = reading.arguments.text(name);
    const double share = reading.arguments.decimal(name).value_or(told ? -1.0 : 0.0);
    const bool is_share = share >= 0.0 && share <= 1.0 - rest;
    reading.noteIf(!is_share, std::string{name} + " is no share of the layers from 0 to 1"
                                  + (rest > 0.0 ? ", attention's included" : "") + "; 0 is taken.");
    return is_share ? share : 0.0;
}

void noteWhatNoPatternSays(ArgumentReading& reading, const HybridPattern& pattern, const std::string& name)
{
    std::string others;
    for (const char letter : letters_of_other_attention)
        if (hasLetter(pattern.letters, letter)
            && (letter != '+' || reading.run.scenario.model.mla.kv_lora_rank == 0))
            others += (others.empty() ? "" : ", ") + std::string{letter};
    reading.noteIf(!others.empty(), name + ": " + others
                                        + " is attention of a kind that no scenario has; it is predicted "
                                          "as the attention that the other arguments tell.");
    reading.noteIf(pattern.has_groups, name + ": layers in brackets are predicted one by one.");
    if (const auto layers = reading.arguments.size({"num_layers"}))
        reading.noteIf(*layers != std::ssize(pattern.letters),
                       "num_layers is " + std::to_string(*layers) + ", and " + name + " has "
                           + std::to_string(pattern.letters.size())
                           + " layers, which are taken; Megatron-LM refuses both together.");
    const std::int64_t modules = std::ssize(pattern.modules);
    const auto told = reading.arguments.size({"mtp_num_layers"});
    reading.noteIf(modules > 0 && told && *told != modules,
                   "mtp_num_layers is " + std::to_string(told.value_or(0)) + ", and " + name + " has "
                       + std::to_string(modules) + " modules for further tokens, which are taken.");
}

// Letters of all layers; empty: what is told is no pattern.
std::string lettersTold(ArgumentReading& reading)
{
    const std::string name{hybridPatternName(reading.arguments)};
    if (name.empty()) {
        const std::int64_t layers = reading.run.scenario.model.layers;
        const double attention = shareTold(reading, "hybrid_attention_ratio", 0.0);
        const double mlp = shareTold(reading, "hybrid_mlp_ratio", attention);
        return layers > most_listed_layers ? std::string{} : hybridLetters(layers, attention, mlp);
    }
    const Result<HybridPattern> pattern = hybridPattern(*reading.arguments.text(name));
    if (pattern)
        return pattern.value().letters;
    reading.run.notes.push_back(name + ": " + pattern.error().sentence
                                + ". All layers are predicted as a transformer's.");
    return {};
}

// A scenario's modules have attention, and experts where the decoder has.
void readModules(ArgumentReading& reading, bool has_experts)
{
    const auto pattern = hybridPattern(reading.arguments);
    const Model& model = reading.run.scenario.model;
    if (!pattern || model.mtp_layers == 0)
        return;
    std::string name{hybridPatternName(reading.arguments)};
    std::vector<std::string> modules = pattern->modules;
    if (const auto told = reading.arguments.text("mtp_hybrid_override_pattern"); told && modules.empty()) {
        modules.emplace_back(*told);
        name = "mtp_hybrid_override_pattern";
    }
    reading.noteIf(std::ranges::adjacent_find(modules, std::not_equal_to{}) != modules.end(),
                   name + ": modules for further tokens differ, which Megatron-LM refuses.");
    const std::string_view predicted = has_experts ? "*E" : "*-";
    reading.noteIf(std::ranges::any_of(modules, [&](const std::string& one) { return one != predicted; }),
                   name + ": modules for further tokens are predicted as " + std::string{predicted}
                       + ", attention and " + (has_experts ? "experts." : "an MLP."));
}

LayerForm formOfLetter(char letter, bool has_experts)
{
    switch (letter) {
    case 'M':
    case 'G':
        return LayerForm::recurrence;
    case '-':
        return LayerForm::mlp;
    case 'E':
        return has_experts ? LayerForm::experts : LayerForm::mlp;
    default:
        return LayerForm::attention;
    }
}

// Of two kinds the one that more layers have.
void readRecurrences(ArgumentReading& reading, std::string_view letters)
{
    const auto mambas = std::ranges::count(letters, 'M');
    const auto delta_nets = std::ranges::count(letters, 'G');
    if (mambas == 0 && delta_nets == 0)
        return;
    const bool are_mamba = mambas >= delta_nets;
    if (are_mamba)
        readMamba(reading);
    else
        readDeltaNet(reading);
    reading.noteIf(mambas > 0 && delta_nets > 0,
                   "The pattern has layers of Mamba-2 (M) and of gated delta rule (G), and a scenario one "
                   "kind of them; all are predicted as "
                       + std::string{are_mamba ? "Mamba-2." : "gated delta rule."});
}

} // namespace

bool readHybridSizes(ArgumentReading& reading)
{
    const auto pattern = hybridPattern(reading.arguments);
    Model& model = reading.run.scenario.model;
    if (!pattern)
        return false;
    const std::string name{hybridPatternName(reading.arguments)};
    model.layers = std::ssize(pattern->letters);
    reading.tellByList("model.layers", std::to_string(model.layers), name);
    if (!pattern->modules.empty()) {
        model.mtp_layers = std::ssize(pattern->modules);
        reading.tellByList("model.mtp_layers", std::to_string(model.mtp_layers), name);
    } else {
        reading.tell("model.mtp_layers", model.mtp_layers, {"mtp_num_layers"});
    }
    return true;
}

void readHybridForms(ArgumentReading& reading)
{
    Model& model = reading.run.scenario.model;
    const std::string letters = lettersTold(reading);
    if (letters.empty())
        return;
    const std::string name{hybridPatternName(reading.arguments)};
    if (const auto pattern = hybridPattern(reading.arguments))
        noteWhatNoPatternSays(reading, *pattern, name);
    const bool has_experts = hasLetter(letters, 'E') && model.experts.count > 0;
    reading.noteIf(hasLetter(letters, 'E') && !has_experts,
                   name
                       + " has layers of experts (E), and num_experts tells none; write how many there "
                         "are. MLPs are predicted in their place.");
    std::vector<LayerForm> forms;
    for (const char letter : letters)
        forms.push_back(formOfLetter(letter, has_experts));
    model.layer_pattern = shortestPattern(std::move(forms));
    const std::string text = layerPatternText(model.layer_pattern);
    if (name.empty())
        reading.tell("model.layer_pattern", text,
                     {"hybrid_attention_ratio", "hybrid_mlp_ratio", "is_hybrid_model", "spec"});
    else
        reading.tellByList("model.layer_pattern", text, name);
    readRecurrences(reading, letters);
    readModules(reading, has_experts);
    reading.noteIf(reading.arguments.text("recompute_granularity") == "full",
                   "recompute_granularity full: hybrid models recompute whole layers since versions of "
                   "May 2026; older ones take the argument and recompute nothing.");
}

} // namespace shardscope

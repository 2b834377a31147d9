// What stands in the place of attention in the arguments of Megatron-LM, and the layers that have it.
#include "core/scenario/megatron/recurrence_arguments.h"

#include "core/scenario/layer_form_words.h"
#include "core/scenario/megatron/hybrid_pattern.h"
#include "core/scenario/megatron/listed_layers.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Listed for each layer, or of n layers all but the last. Empty: no layer has it.
ListedLayers deltaNetLayers(ArgumentReading& reading)
{
    const std::int64_t layers = reading.run.scenario.model.layers;
    const auto told = reading.arguments.text("linear_attention_freq");
    ListedLayers listed;
    if (const auto every = reading.arguments.size({"linear_attention_freq"})) {
        for (std::int64_t layer = 1; layer <= layers; ++layer)
            listed.push_back(layer % *every == 0 ? 0 : 1);
        return listed;
    }
    listed = listedLayers(reading.arguments, "linear_attention_freq");
    const bool is_of_model = std::ssize(listed) == layers;
    reading.noteIf(!told, "Which layers have gated_delta_net is not told, and Megatron-LM refuses that; set "
                          "linear_attention_freq. Attention is predicted in all.");
    reading.noteIf(told && !is_of_model, "linear_attention_freq is neither a number nor a list of the "
                                             + std::to_string(layers)
                                             + " layers; attention is predicted in all.");
    return is_of_model ? listed : ListedLayers{};
}

// Empty: attention in all layers.
ListedLayers recurrentLayers(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    const auto today = arguments.text("experimental_attention_variant");
    const auto variant = today ? today : arguments.text("linear_attention_type");
    if (variant == "gated_delta_net" || variant == "gdn")
        return deltaNetLayers(reading);
    reading.noteIf(variant.has_value(),
                   std::string{today ? "experimental_attention_variant" : "linear_attention_type"} + " "
                       + std::string{variant.value_or("")}
                       + " is known to no scenario; attention is predicted in all layers.");
    reading.noteIf(!variant && arguments.text("linear_attention_freq").has_value(),
                   "linear_attention_freq counts for nothing without experimental_attention_variant "
                   "gated_delta_net; attention is predicted in all layers.");
    return {};
}

// Which layers have experts, where the order is none that every and first of a scenario say.
ListedLayers layersWithExperts(const ArgumentReading& reading)
{
    const Model& model = reading.run.scenario.model;
    const Experts& experts = model.experts;
    const ListedLayers listed = reading.arguments.size({"moe_layer_freq"})
                                    ? ListedLayers{}
                                    : listedLayers(reading.arguments, "moe_layer_freq");
    const bool is_of_model =
        std::ssize(listed) == model.layers && std::ranges::count(listed, 0) < model.layers;
    ListedLayers with_experts;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        const bool is_regular = layer >= experts.first && (layer - experts.first) % experts.every == 0;
        const bool has = is_of_model ? listed[static_cast<std::size_t>(layer)] != 0 : is_regular;
        with_experts.push_back(experts.count > 0 && has ? 1 : 0);
    }
    return with_experts;
}

bool areRegular(const ListedLayers& with_experts, const Experts& experts)
{
    for (std::int64_t layer = 0; layer < std::ssize(with_experts); ++layer) {
        const bool is_regular = layer >= experts.first && (layer - experts.first) % experts.every == 0;
        if (is_regular != (with_experts[static_cast<std::size_t>(layer)] != 0))
            return false;
    }
    return true;
}

LayerForm formOf(bool is_recurrent, bool has_experts)
{
    if (is_recurrent)
        return has_experts ? LayerForm::recurrence_experts : LayerForm::recurrence_mlp;
    return has_experts ? LayerForm::attention_experts : LayerForm::attention_mlp;
}

// Two blocks in each layer, attention or a recurrence, and an MLP or experts.
void readForms(ArgumentReading& reading)
{
    Model& model = reading.run.scenario.model;
    if (model.layers > most_listed_layers)
        return;
    const ListedLayers recurrent = recurrentLayers(reading);
    const ListedLayers with_experts = layersWithExperts(reading);
    const bool has_recurrences = std::ranges::any_of(recurrent, [](std::int64_t one) { return one != 0; });
    if (!has_recurrences && (model.experts.count == 0 || areRegular(with_experts, model.experts)))
        return;
    std::vector<LayerForm> forms;
    for (std::size_t layer = 0; layer < with_experts.size(); ++layer)
        forms.push_back(formOf(has_recurrences && recurrent[layer] != 0, with_experts[layer] != 0));
    model.layer_pattern = shortestPattern(std::move(forms));
    reading.tellByList("model.layer_pattern", layerPatternText(model.layer_pattern),
                       has_recurrences ? "linear_attention_freq" : "moe_layer_freq");
    if (has_recurrences)
        readDeltaNet(reading);
}

} // namespace

void readMamba(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    const std::int64_t values = 2 * reading.run.scenario.model.hidden_size;
    Recurrence& mamba = reading.run.scenario.model.recurrence;
    const auto heads = arguments.size({"mamba_num_heads"});
    mamba.value_dim = arguments.size({"mamba_head_dim"}).value_or(64);
    mamba.heads = heads.value_or(std::max<std::int64_t>(1, values / mamba.value_dim));
    mamba.key_groups = arguments.size({"mamba_num_groups"}).value_or(8);
    mamba.key_dim = arguments.size({"mamba_state_dim"}).value_or(128);
    reading.noteIf(!heads && values % mamba.value_dim != 0,
                   "mamba_head_dim " + std::to_string(mamba.value_dim)
                       + " does not divide twice the hidden size, which Megatron-LM refuses; set "
                         "mamba_num_heads. "
                       + std::to_string(mamba.heads) + " heads are taken.");
    reading.tell("model.recurrence.heads", mamba.heads, {"mamba_num_heads"});
    reading.tell("model.recurrence.value_dim", mamba.value_dim, {"mamba_head_dim"});
    reading.tell("model.recurrence.key_groups", mamba.key_groups, {"mamba_num_groups"});
    reading.tell("model.recurrence.key_dim", mamba.key_dim, {"mamba_state_dim"});
}

void readDeltaNet(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Recurrence& delta = reading.run.scenario.model.recurrence;
    delta.kind = RecurrenceKind::gated_delta_net;
    delta.heads = arguments.size({"linear_num_value_heads"}).value_or(32);
    delta.value_dim = arguments.size({"linear_value_head_dim"}).value_or(128);
    delta.key_groups = arguments.size({"linear_num_key_heads"}).value_or(16);
    delta.key_dim = arguments.size({"linear_key_head_dim"}).value_or(128);
    delta.conv_kernel = arguments.size({"linear_conv_kernel_dim"}).value_or(4);
    const std::string_view pattern = hybridPatternName(arguments);
    if (pattern.empty())
        reading.tell("model.recurrence.kind", std::string{word(delta.kind)},
                     {"experimental_attention_variant", "linear_attention_type"});
    else
        reading.tellByList("model.recurrence.kind", std::string{word(delta.kind)}, pattern);
    reading.tell("model.recurrence.heads", delta.heads, {"linear_num_value_heads"});
    reading.tell("model.recurrence.value_dim", delta.value_dim, {"linear_value_head_dim"});
    reading.tell("model.recurrence.key_groups", delta.key_groups, {"linear_num_key_heads"});
    reading.tell("model.recurrence.key_dim", delta.key_dim, {"linear_key_head_dim"});
    reading.tell("model.recurrence.conv_kernel", delta.conv_kernel, {"linear_conv_kernel_dim"});
}

void readLayerForms(ArgumentReading& reading)
{
    Model& model = reading.run.scenario.model;
    model.attention_gate = reading.arguments.isOn("attention_output_gate");
    reading.tellFlag("model.attention_gate", model.attention_gate, {"attention_output_gate"});
    const bool is_hybrid = isHybrid(reading.arguments);
    reading.noteIf(is_hybrid && model.hasEncoder(),
                   "A hybrid model has no encoder; its pattern is left out.");
    if (model.hasEncoder())
        return;
    if (is_hybrid)
        readHybridForms(reading);
    else
        readForms(reading);
}

} // namespace shardscope

// Mixture of experts in the arguments of Megatron-LM and Megatron-DeepSpeed.
#include "core/scenario/megatron/argument_reading.h"

#include "core/base/format.h"
#include "core/scenario/megatron/hybrid_pattern.h"
#include "core/scenario/megatron/listed_layers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

// As a scenario says it without a pattern: layers first, first + every, ... Nothing: the list is another one.
struct RegularLayers {
    std::int64_t every = 1;
    std::int64_t first = 0;
};
std::optional<RegularLayers> regularLayers(const ListedLayers& listed)
{
    const auto with_experts = [](std::int64_t one) { return one != 0; };
    const auto first = std::ranges::find_if(listed, with_experts);
    if (first == listed.end())
        return std::nullopt;
    const auto second = std::find_if(first + 1, listed.end(), with_experts);
    const RegularLayers regular{second == listed.end() ? listed.end() - first : second - first,
                                first - listed.begin()};
    for (std::int64_t layer = 0; layer < std::ssize(listed); ++layer) {
        const bool has = layer >= regular.first && (layer - regular.first) % regular.every == 0;
        if (has != with_experts(listed[static_cast<std::size_t>(layer)]))
            return std::nullopt;
    }
    return regular;
}

// Those of no regular order are told by layer_pattern, which is read later.
void readListedLayers(ArgumentReading& reading)
{
    const Model& model = reading.run.scenario.model;
    const ListedLayers listed = listedLayers(reading.arguments, "moe_layer_freq");
    const bool is_of_model = std::ssize(listed) == model.layers;
    const bool has_none = is_of_model && std::ranges::count(listed, 0) == model.layers;
    reading.noteIf(!is_of_model, "moe_layer_freq is neither a number nor a list of the "
                                     + std::to_string(model.layers)
                                     + " layers; all are taken to have experts.");
    reading.noteIf(has_none, "moe_layer_freq gives no layer experts; all are taken to have them.");
    const auto regular = is_of_model ? regularLayers(listed) : std::nullopt;
    if (!regular)
        return;
    reading.run.scenario.model.experts.every = regular->every;
    reading.run.scenario.model.experts.first = regular->first;
    reading.tellByList("model.experts.every", std::to_string(regular->every), "moe_layer_freq");
    reading.tellByList("model.experts.first", std::to_string(regular->first), "moe_layer_freq");
}

void readLayersWithExperts(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Experts& experts = reading.run.scenario.model.experts;
    if (const auto interval = arguments.size({"expert_interval"});
        interval && !arguments.lists("moe_layer_freq")) {
        experts.every = *interval; // Megatron-DeepSpeed counts layers from 1
        experts.first = *interval - 1;
        reading.tell("model.experts.every", experts.every, {"expert_interval"});
        reading.tell("model.experts.first", experts.first, {"expert_interval"});
        return;
    }
    if (!arguments.text("moe_layer_freq"))
        return;
    const auto every = arguments.size({"moe_layer_freq"});
    if (!every)
        return readListedLayers(reading);
    experts.every = *every;
    reading.tell("model.experts.every", experts.every, {"moe_layer_freq"});
    reading.tell("model.experts.first", experts.first, {"moe_layer_freq"});
}

void readSharedExperts(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Experts& experts = reading.run.scenario.model.experts;
    const auto width = arguments.size({"moe_shared_expert_intermediate_size"});
    if (!width)
        return;
    experts.shared = *width / experts.ffn_hidden_size;
    experts.shared_gate = arguments.isOn("moe_shared_expert_gate");
    reading.tell("model.experts.shared", experts.shared, {"moe_shared_expert_intermediate_size"});
    reading.noteIf(*width % experts.ffn_hidden_size != 0,
                   "The shared experts are " + std::to_string(*width) + " wide, no multiple of an expert's "
                       + std::to_string(experts.ffn_hidden_size) + "; " + std::to_string(experts.shared)
                       + " of these are taken.");
}

// Without a capacity nothing is dropped; Megatron-DeepSpeed drops by default.
void readCapacity(ArgumentReading& reading, bool has_deepspeeds)
{
    const RunArguments& arguments = reading.arguments;
    const bool drops =
        arguments.isOn("moe_token_dropping") || (has_deepspeeds && !arguments.isOff("moe_token_dropping"));
    const double by_default = drops && has_deepspeeds ? 1.0 : 0.0;
    const std::string_view name = drops ? "moe_train_capacity_factor" : "moe_expert_capacity_factor";
    const auto told = arguments.decimal(name);
    const double factor = std::max(0.0, told.value_or(by_default));
    // Megatron-Core fills the slots where it is told to; else tokens beyond the capacity are dropped and the
    // others travel as the routing has them.
    const bool is_filled = drops || arguments.isOn("moe_pad_expert_input_to_capacity");
    reading.run.scenario.model.experts.capacity_factor = is_filled ? factor : 0.0;
    if (told && is_filled)
        reading.tell("model.experts.capacity_factor", formatPlain(factor, 6), {name});
    else if (drops)
        reading.tell("model.experts.capacity_factor", formatPlain(factor, 6), {"moe_token_dropping"});
    reading.noteIf(!told && arguments.text(name).has_value(),
                   std::string{name} + " " + std::string{arguments.text(name).value_or("")}
                       + " is no number; " + formatPlain(factor, 6) + " is taken.");
    reading.noteIf(
        !is_filled && factor > 0.0,
        "moe_expert_capacity_factor without moe_pad_expert_input_to_capacity: what is beyond the "
        "capacity is dropped and no slot is filled up; sizes that follow the routing are predicted.");
    reading.noteIf(
        has_deepspeeds && !arguments.lists("expert_interval"),
        "On which layers experts stand is not told (expert_interval); every layer is taken to have "
        "them.");
}

void readGroups(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Experts& experts = reading.run.scenario.model.experts;
    const auto groups = arguments.size({"moe_router_num_groups"});
    const auto chosen = arguments.size({"moe_router_group_topk"});
    if (!groups || !chosen)
        return;
    experts.groups = *groups;
    experts.groups_per_token = *chosen;
    reading.tell("model.experts.groups", experts.groups, {"moe_router_num_groups"});
    reading.tell("model.experts.groups_per_token", experts.groups_per_token, {"moe_router_group_topk"});
}

} // namespace

void readExperts(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Model& model = reading.run.scenario.model;
    model.experts.ffn_hidden_size = arguments.size({"moe_ffn_hidden_size"}).value_or(model.ffn_hidden_size);
    const std::vector<std::int64_t> counts = arguments.numbers("num_experts");
    // Megatron-DeepSpeed lists [1] for a dense model.
    if (counts.empty() || counts.front() <= 1)
        return;
    Experts& experts = model.experts;
    experts.count = counts.front();
    reading.noteIf(std::ranges::adjacent_find(counts, std::not_equal_to{}) != counts.end(),
                   "Layers have different numbers of experts; " + std::to_string(experts.count)
                       + " are taken on each.");
    // Defaults of Megatron-DeepSpeed's command line, and of Megatron-LM's.
    const bool has_deepspeeds = arguments.isOn("deepspeed") && !arguments.areOfTable();
    experts.per_token = arguments.size({"moe_router_topk", "topk"}).value_or(has_deepspeeds ? 1 : 2);
    readCapacity(reading, has_deepspeeds);
    experts.routing_bias = arguments.isOn("moe_router_enable_expert_bias");
    reading.tellFlag("model.experts.routing_bias", experts.routing_bias, {"moe_router_enable_expert_bias"});
    reading.tell("model.experts.count", experts.count, {"num_experts"});
    reading.tell("model.experts.per_token", experts.per_token, {"moe_router_topk", "topk"});
    reading.tell("model.experts.ffn_hidden_size", experts.ffn_hidden_size, {"moe_ffn_hidden_size"});
    readGroups(reading);
    if (!isHybrid(arguments)) // whose pattern says it
        readLayersWithExperts(reading);
    readSharedExperts(reading);
}

} // namespace shardscope

// Mixture of experts in the arguments of Megatron-LM and Megatron-DeepSpeed.
#include "core/scenario/megatron/argument_reading.h"

#include "core/base/whole_number.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

// Which layers have experts: 1 for each that has, 0 for each that has none.
using LayerPattern = std::vector<std::int64_t>;

// "[0]*3+[1]*58", as command lines write it; empty: it is none.
LayerPattern patternOf(std::string_view expression, std::int64_t layers)
{
    constexpr std::int64_t most_layers = 100'000; // of any model, many times over
    LayerPattern pattern;
    if (layers > most_layers)
        return pattern;
    std::string text{expression};
    std::erase_if(text, [](char letter) { return letter == '(' || letter == ')' || letter == ' '; });
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t plus = std::min(rest.find('+'), rest.size());
        const std::string_view term = rest.substr(0, plus);
        rest.remove_prefix(std::min(plus + 1, rest.size()));
        const std::size_t end = term.find(']');
        if (!term.starts_with('[') || end == std::string_view::npos)
            return {};
        const RunArgument listed{"term", std::string{term.substr(0, end + 1)}};
        const std::vector<std::int64_t> values = RunArguments{std::span{&listed, 1}}.numbers("term");
        const std::string_view factor = term.substr(end + 1);
        const auto times = factor.empty()            ? std::optional<std::int64_t>{1}
                           : factor.starts_with('*') ? wholeNumber(factor.substr(1))
                                                     : std::nullopt;
        if (values.empty() || !times || *times < 0 || *times > layers)
            return {};
        for (std::int64_t i = 0; i < *times && std::ssize(pattern) <= layers; ++i)
            pattern.insert(pattern.end(), values.begin(), values.end());
    }
    return pattern;
}

// As a scenario says it: layers first, first + every, ... False: the pattern is another one.
bool takePattern(const LayerPattern& pattern, Experts& experts)
{
    const auto with_experts = [](std::int64_t one) { return one != 0; };
    const auto first = std::ranges::find_if(pattern, with_experts);
    if (first == pattern.end())
        return false;
    const auto second = std::find_if(first + 1, pattern.end(), with_experts);
    experts.first = first - pattern.begin();
    experts.every = second == pattern.end() ? pattern.end() - first : second - first;
    for (std::int64_t layer = 0; layer < std::ssize(pattern); ++layer) {
        const bool has = layer >= experts.first && (layer - experts.first) % experts.every == 0;
        if (has != with_experts(pattern[static_cast<std::size_t>(layer)]))
            return false;
    }
    return true;
}

void readLayersWithExperts(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    const Model& model = reading.run.scenario.model;
    Experts& experts = reading.run.scenario.model.experts;
    if (const auto interval = arguments.size({"expert_interval"});
        interval && !arguments.lists("moe_layer_freq")) {
        experts.every = *interval; // Megatron-DeepSpeed counts layers from 1
        experts.first = *interval - 1;
        reading.tell("model.experts.every", experts.every, {"expert_interval"});
        return;
    }
    const auto told = arguments.text("moe_layer_freq");
    if (!told)
        return;
    if (const auto every = arguments.size({"moe_layer_freq"})) {
        experts.every = *every;
    } else {
        const LayerPattern listed = arguments.numbers("moe_layer_freq");
        const bool is_taken = takePattern(listed.empty() ? patternOf(*told, model.layers) : listed, experts);
        reading.noteIf(!is_taken, "No scenario has experts on the layers of moe_layer_freq; every "
                                      + std::to_string(experts.every) + " from layer "
                                      + std::to_string(experts.first) + " on are taken to have them.");
    }
    // A pattern may be longer than what is told at the pointer.
    constexpr std::size_t longest = 60;
    if (told->size() <= longest)
        reading.tell("model.experts.every", experts.every, {"moe_layer_freq"});
    else
        reading.run.figures.push_back(
            {"model.experts.every", std::to_string(experts.every), "moe_layer_freq, a list of all layers"});
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
    constexpr std::int64_t usual_choices = 2;
    experts.per_token = arguments.size({"moe_router_topk", "topk"}).value_or(usual_choices);
    const bool drops = arguments.isOn("moe_token_dropping");
    experts.capacity_factor =
        arguments.decimal(drops ? "moe_train_capacity_factor" : "moe_expert_capacity_factor").value_or(0.0);
    experts.routing_bias = arguments.isOn("moe_router_enable_expert_bias");
    reading.tell("model.experts.count", experts.count, {"num_experts"});
    reading.tell("model.experts.per_token", experts.per_token, {"moe_router_topk", "topk"});
    reading.tell("model.experts.ffn_hidden_size", experts.ffn_hidden_size, {"moe_ffn_hidden_size"});
    readLayersWithExperts(reading);
    readSharedExperts(reading);
}

} // namespace shardscope

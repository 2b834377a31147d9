// Mixture of experts in the arguments of Megatron-LM and Megatron-DeepSpeed.
#include "core/scenario/megatron/argument_reading.h"

#include "core/base/format.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

// Which layers have experts: 1 for each that has, 0 for each that has none.
using LayerPattern = std::vector<std::int64_t>;

// "([0]*3+[1]*58)", as command lines write it: lists, added and repeated.
class PatternExpression
{
public:
    explicit PatternExpression(std::string_view text) : m_rest{text} {}

    // Empty: the text is no such expression.
    LayerPattern read()
    {
        LayerPattern pattern = sum(0);
        return m_rest.empty() && m_is_right ? pattern : LayerPattern{};
    }

private:
    LayerPattern sum(int depth)
    {
        LayerPattern pattern = product(depth);
        while (m_is_right && take('+')) {
            const LayerPattern more = product(depth);
            pattern.insert(pattern.end(), more.begin(), more.end());
        }
        m_is_right = m_is_right && std::ssize(pattern) <= most_listed_layers;
        return pattern;
    }

    LayerPattern product(int depth)
    {
        constexpr int deepest = 8;
        LayerPattern once;
        if (depth < deepest && take('(')) {
            once = sum(depth + 1);
            m_is_right = m_is_right && take(')');
        } else {
            once = list();
        }
        const std::int64_t times = take('*') ? number() : 1;
        m_is_right =
            m_is_right && !once.empty() && times > 0 && times <= most_listed_layers / std::ssize(once);
        LayerPattern pattern;
        for (std::int64_t i = 0; m_is_right && i < times; ++i)
            pattern.insert(pattern.end(), once.begin(), once.end());
        return pattern;
    }

    LayerPattern list()
    {
        const std::size_t end = m_rest.find(']');
        m_is_right = m_is_right && m_rest.starts_with('[') && end != std::string_view::npos;
        if (!m_is_right)
            return {};
        const RunArgument listed{"layers", std::string{m_rest.substr(0, end + 1)}};
        m_rest.remove_prefix(end + 1);
        return RunArguments{std::span{&listed, 1}}.numbers(listed.name);
    }

    std::int64_t number()
    {
        const std::size_t end = std::min(m_rest.find_first_not_of("0123456789"), m_rest.size());
        const std::int64_t value = wholeNumber(m_rest.substr(0, end)).value_or(0);
        m_rest.remove_prefix(end);
        return value;
    }

    bool take(char letter)
    {
        const bool is_there = m_rest.starts_with(letter);
        m_rest.remove_prefix(is_there ? 1 : 0);
        return is_there;
    }

    std::string_view m_rest;
    bool m_is_right = true;
};

LayerPattern patternOf(std::string_view expression)
{
    std::string text{expression};
    std::erase(text, ' ');
    return PatternExpression{text}.read();
}

// As a scenario says it: layers first, first + every, ... False: the pattern is another one.
bool takePattern(const LayerPattern& pattern, std::int64_t layers, Experts& experts)
{
    if (std::ssize(pattern) != layers)
        return false;
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
        reading.tell("model.experts.first", experts.first, {"expert_interval"});
        return;
    }
    const auto told = arguments.text("moe_layer_freq");
    if (!told)
        return;
    if (const auto every = arguments.size({"moe_layer_freq"})) {
        experts.every = *every;
    } else {
        const LayerPattern listed = arguments.numbers("moe_layer_freq");
        const bool is_taken = takePattern(listed.empty() ? patternOf(*told) : listed, model.layers, experts);
        reading.noteIf(!is_taken, "No scenario has experts on the layers of moe_layer_freq; every "
                                      + std::to_string(experts.every) + " from layer "
                                      + std::to_string(experts.first) + " on are taken to have them.");
    }
    // A pattern may be longer than what is told at the pointer.
    constexpr std::size_t longest = 60;
    for (const auto& [key, value] :
         {std::pair{"model.experts.every", experts.every}, {"model.experts.first", experts.first}})
        if (told->size() <= longest)
            reading.tell(key, value, {"moe_layer_freq"});
        else
            reading.run.figures.push_back(
                {key, std::to_string(value), "moe_layer_freq, a list of all layers"});
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
    readLayersWithExperts(reading);
    readSharedExperts(reading);
}

} // namespace shardscope

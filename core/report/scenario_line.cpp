#include "core/report/scenario_line.h"

#include "core/base/format.h"
#include "core/prediction/time/machine.h"
#include "core/scenario/presets.h"
#include "core/scenario/schedule_title.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <vector>

namespace shardscope
{

namespace
{

// What the line says of one figure; empty: nothing.
struct LinePart {
    std::string text;
    bool is_close = false; // a comma joins it to the part before
};

std::string nameOf(const Scenario& scenario, bool is_edited, const Presets* presets)
{
    if (!scenario.name.empty() && !is_edited)
        return scenario.name;
    const Model& model = scenario.model;
    if (model.preset.empty() && model.kind == ModelKind::parameter_list)
        return "own list of parameters";
    const ModelPreset* preset = presets != nullptr ? presets->model(model.preset) : nullptr;
    return preset != nullptr ? preset->title : model.preset;
}

std::string scheduleText(const Parallel& parallel)
{
    return parallel.pipeline > 1 ? std::string{titleOf(parallel.schedule)} : std::string{};
}

// "12.5 GB/s between nodes", where a run has several.
std::string networkText(const Scenario& scenario)
{
    const Machine machine{scenario.cluster};
    if (scenario.worldSize() <= machine.domain)
        return {};
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g GB/s between %s",
                  machine.interconnect.network.value() / 1e9,
                  machine.domain > machine.node ? "racks" : "nodes");
    return text.data();
}

std::string above1(const char* letter, std::int64_t degree)
{
    return degree > 1 ? std::string{letter} + ' ' + std::to_string(degree) : std::string{};
}

// The same number of parts for every scenario.
std::vector<LinePart> figuresOf(const Scenario& scenario)
{
    const Model& model = scenario.model;
    const Parallel& parallel = scenario.parallel;
    const Training& training = scenario.training;
    const std::int64_t gpus = scenario.worldSize();
    const bool is_transformer = model.kind == ModelKind::transformer;
    const bool recomputes = training.recompute != Recompute::none;
    return {{formatGrouped(gpus) + (gpus == 1 ? " GPU" : " GPUs")},
            {"p " + std::to_string(parallel.pipeline), true},
            {"t " + std::to_string(parallel.tensor)},
            {"d " + std::to_string(parallel.data)},
            {above1("c", parallel.context)},
            {above1("e", parallel.expert)},
            {scheduleText(parallel)},
            {above1("v", parallel.virtual_stages), true},
            {"ZeRO " + std::to_string(parallel.zero_stage)},
            {parallel.sequence_parallel ? "sequence parallel" : ""},
            {is_transformer ? "s " + formatGrouped(model.sequence_length) : ""},
            {"b " + formatGrouped(training.micro_batch_size)},
            {"gb " + formatGrouped(training.global_batch_size)},
            {std::string{word(training.precision)}},
            {recomputes ? std::string{word(training.recompute)} + " recomputation" : ""},
            {scenario.cluster.gpu},
            {std::to_string(scenario.cluster.gpus_per_node) + " a node", true},
            {networkText(scenario), true},
            {scenario.time_model == TimeModel::li ? "Li et al.'s time model" : "detailed time model"}};
}

// A model without a name is known by its size.
std::vector<LinePart> partsOf(const Scenario& scenario, const std::string& name)
{
    std::vector<LinePart> parts{{name}};
    if (name.empty())
        parts = {{countedSentence(scenario.model.layers, "1 layer", "# layers")},
                 {"hidden size " + std::to_string(scenario.model.hidden_size), true}};
    std::ranges::move(figuresOf(scenario), std::back_inserter(parts));
    return parts;
}

} // namespace

std::string scenarioLine(const Scenario& scenario, bool is_edited, std::span<const Scenario> variations,
                         const Presets* presets)
{
    const std::string name = nameOf(scenario, is_edited, presets);
    std::vector<LinePart> parts = partsOf(scenario, name);
    for (const Scenario& variation : variations) {
        const std::vector<LinePart> other = partsOf(variation, name);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (parts[i].text != other[i].text)
                parts[i].text.clear();
    }
    std::string line;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].text.empty())
            continue;
        const bool is_close = parts[i].is_close && !parts[i - 1].text.empty();
        line += (line.empty() ? "" : is_close ? ", " : " · ") + parts[i].text;
    }
    return line;
}

} // namespace shardscope

// Patterns of layers and recurrences, as Megatron-LM is told them.
#include "core/report/launch/layer_arguments.h"

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/model/stage_layout.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace shardscope
{

namespace
{

using Forms = std::vector<LayerForm>;

Forms formsOf(const Model& model)
{
    Forms forms;
    for (std::int64_t layer = 0; layer < model.layers; ++layer)
        forms.push_back(layerForm(model, layer));
    return forms;
}

bool anyHas(const Forms& forms, bool (*has)(LayerForm))
{
    return std::ranges::any_of(forms, has);
}

void addBlocks(LayerForm form, Forms& blocks)
{
    if (hasAttention(form))
        blocks.push_back(LayerForm::attention);
    if (hasRecurrence(form))
        blocks.push_back(LayerForm::recurrence);
    if (hasMlp(form))
        blocks.push_back(LayerForm::mlp);
    if (hasExperts(form))
        blocks.push_back(LayerForm::experts);
}

// Of the layers from `begin` on.
std::int64_t blocksIn(const Forms& forms, std::int64_t begin, std::int64_t layers)
{
    std::int64_t blocks = 0;
    for (std::int64_t layer = begin; layer < std::min(begin + layers, std::ssize(forms)); ++layer)
        blocks += blocksOf(forms[static_cast<std::size_t>(layer)]);
    return blocks;
}

std::vector<std::int64_t> layersOfChunks(const Scenario& scenario)
{
    const IterationFigures figures{scenario};
    return chunkLayers(figures);
}

bool areAlike(const std::vector<std::int64_t>& chunks)
{
    return std::ranges::adjacent_find(chunks, std::not_equal_to{}) == chunks.end();
}

bool areInterleaved(const Parallel& parallel)
{
    return parallel.pipeline > 1 && parallel.virtual_stages > 1;
}

// 1 for each layer that has it, 0 for each without, as a Python expression.
std::string listOfLayers(const Forms& forms, bool (*has)(LayerForm))
{
    std::string list = "'(";
    for (std::size_t begin = 0; begin < forms.size();) {
        std::size_t end = begin + 1;
        while (end < forms.size() && has(forms[end]) == has(forms[begin]))
            ++end;
        list += std::string{begin > 0 ? "+" : ""} + (has(forms[begin]) ? "[1]*" : "[0]*")
                + std::to_string(end - begin);
        begin = end;
    }
    return list + ")'";
}

// "4": three layers with a recurrence, then one with attention; a list where it is not so.
std::string recurrentLayers(const Forms& forms)
{
    const auto first = std::ranges::find_if(forms, [](LayerForm form) { return hasAttention(form); });
    const std::ptrdiff_t every = first - forms.begin() + 1;
    for (std::ptrdiff_t layer = 1; layer <= std::ssize(forms); ++layer)
        if (hasAttention(forms[static_cast<std::size_t>(layer - 1)]) != (layer % every == 0))
            return listOfLayers(forms, hasRecurrence);
    return std::to_string(every);
}

std::string letters(const Scenario& hybrid)
{
    const Forms forms = formsOf(hybrid.model);
    const bool is_mamba = hybrid.model.recurrence.kind == RecurrenceKind::mamba2;
    std::string text;
    for (const LayerForm form : forms)
        text += form == LayerForm::recurrence && !is_mamba ? "G" : std::string{word(form)};
    if (needsLayerPattern(hybrid) && hybrid.parallel.pipeline > 1) {
        std::size_t at = 0;
        const std::vector<std::int64_t> chunks = layersOfChunks(hybrid);
        for (std::size_t chunk = 0; chunk + 1 < chunks.size(); ++chunk) {
            at += static_cast<std::size_t>(chunks[chunk]);
            text.insert(at++, 1, '|');
        }
    }
    for (std::int64_t module = 0; module < hybrid.model.mtp_layers; ++module)
        text += anyHas(forms, hasExperts) ? "/*E" : "/*-";
    return text;
}

void addRecurrence(const Scenario& scenario, CommandArguments& arguments)
{
    const Recurrence& recurrence = scenario.model.recurrence;
    if (recurrence.kind == RecurrenceKind::mamba2) {
        arguments.add("mamba-state-dim", recurrence.key_dim);
        arguments.add("mamba-head-dim", recurrence.value_dim);
        arguments.add("mamba-num-groups", recurrence.key_groups);
        arguments.add("mamba-num-heads", recurrence.heads);
        arguments.remarkIf(recurrence.conv_kernel != Recurrence{}.conv_kernel,
                           "No equivalent: recurrence.conv_kernel " + std::to_string(recurrence.conv_kernel)
                               + "; Megatron-LM's Mamba-2 convolves 4 tokens.");
        return;
    }
    arguments.add("linear-conv-kernel-dim", recurrence.conv_kernel);
    arguments.add("linear-key-head-dim", recurrence.key_dim);
    arguments.add("linear-value-head-dim", recurrence.value_dim);
    arguments.add("linear-num-key-heads", recurrence.key_groups);
    arguments.add("linear-num-value-heads", recurrence.heads);
    arguments.remarkIf(scenario.parallel.context > 1,
                       "Context parallelism of gated delta rule: older versions of Megatron-LM refuse it.");
}

void addHybrid(const Scenario& scenario, CommandArguments& arguments)
{
    const bool is_todays = needsLayerPattern(scenario);
    arguments.flagIf(!is_todays, "is-hybrid-model");
    arguments.add(is_todays ? "hybrid-layer-pattern" : "hybrid-override-pattern",
                  "'" + letters(scenario) + "'");
    arguments.add("spec", is_todays ? "megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec"
                                    : "megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec");
    arguments.remarkIf(is_todays, "Versions of Megatron-LM of before 2026 know no G and no bars (|) in "
                                  "patterns: they share layers out evenly, and have no virtual stages of "
                                  "hybrid models.");
    arguments.remarkIf(scenario.training.recompute == Recompute::full,
                       "Versions of Megatron-LM of before May 2026 recompute no layers of hybrid models.");
}

} // namespace

bool isHybrid(const Model& model)
{
    if (model.layer_pattern.empty())
        return false;
    const bool is_mamba = model.recurrence.kind == RecurrenceKind::mamba2;
    return std::ranges::any_of(formsOf(model), [&](LayerForm form) {
        return blocksOf(form) == 1 || (hasRecurrence(form) && is_mamba);
    });
}

Scenario withBlocksAsLayers(Scenario scenario)
{
    if (!isHybrid(scenario.model))
        return scenario;
    const Forms forms = formsOf(scenario.model);
    std::vector<std::int64_t> stage_layers;
    std::int64_t begin = 0;
    for (const std::int64_t layers : layersOfChunks(scenario)) {
        stage_layers.push_back(blocksIn(forms, begin, layers));
        begin += layers;
    }
    scenario.parallel.stage_layers = std::move(stage_layers);
    scenario.training.recompute_layers = blocksIn(forms, 0, scenario.training.recompute_layers);
    scenario.model.layer_pattern.clear();
    for (const LayerForm form : forms)
        addBlocks(form, scenario.model.layer_pattern);
    scenario.model.layers = std::ssize(scenario.model.layer_pattern);
    return scenario;
}

void remarkBlocksAsLayers(const Model& model, const Model& with_blocks, CommandArguments& arguments)
{
    if (model.layers == with_blocks.layers)
        return;
    arguments.remarkIf(true, "Megatron-LM's hybrid models have one block in each layer: the "
                                 + std::to_string(model.layers) + " layers are "
                                 + std::to_string(with_blocks.layers) + " there.");
    arguments.remarkIf(model.sliding_window > 0 && model.full_attention_every > 0,
                       "No equivalent: full_attention_every, whose layers are not told among blocks.");
}

bool needsLayerPattern(const Scenario& hybrid)
{
    const bool has_delta_nets = hybrid.model.recurrence.kind == RecurrenceKind::gated_delta_net
                                && anyHas(formsOf(hybrid.model), hasRecurrence);
    return isHybrid(hybrid.model)
           && (has_delta_nets || areInterleaved(hybrid.parallel) || !areAlike(layersOfChunks(hybrid)));
}

void addLayerForms(const Scenario& scenario, CommandArguments& arguments)
{
    arguments.flagIf(scenario.model.attention_gate, "attention-output-gate");
    if (scenario.model.layer_pattern.empty())
        return;
    const Forms forms = formsOf(scenario.model);
    const bool has_recurrences = anyHas(forms, hasRecurrence);
    if (isHybrid(scenario.model)) {
        addHybrid(scenario, arguments);
    } else if (has_recurrences) {
        arguments.add("experimental-attention-variant", "gated_delta_net");
        arguments.add("linear-attention-freq", recurrentLayers(forms));
    }
    if (has_recurrences)
        addRecurrence(scenario, arguments);
}

void addLayersWithExperts(const Model& model, CommandArguments& arguments)
{
    const Forms forms = formsOf(model);
    const bool all_have = std::ranges::all_of(forms, [](LayerForm form) { return hasExperts(form); });
    if (!isHybrid(model) && !all_have)
        arguments.add("moe-layer-freq", listOfLayers(forms, hasExperts));
}

} // namespace shardscope

// How layers are shared out over stages, in the arguments of Megatron-LM and its forks.
#include "core/scenario/megatron/argument_reading.h"

#include "core/base/whole_number.h"
#include "core/scenario/defaults.h"
#include "core/scenario/megatron/hybrid_pattern.h"

#include <algorithm>
#include <numeric>

namespace shardscope
{

namespace
{

void readVirtualStages(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Scenario& scenario = reading.run.scenario;
    Parallel& parallel = scenario.parallel;
    const auto told =
        arguments.size({"virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank"});
    const auto layers = arguments.size({"num_layers_per_virtual_pipeline_stage"});
    // What counts as a layer where layers are shared out.
    const std::int64_t ends = (arguments.isOn("account_for_embedding_in_pipeline_split") ? 1 : 0)
                              + (arguments.isOn("account_for_loss_in_pipeline_split") ? 1 : 0);
    if (parallel.pipeline > 1)
        parallel.virtual_stages = told.value_or(
            layers ? std::max<std::int64_t>(1, (scenario.model.layers + ends) / parallel.pipeline / *layers)
                   : 1);
    reading.noteIf(parallel.pipeline > 1 && layers && !told
                       && (scenario.model.layers + ends) % (parallel.pipeline * *layers) != 0
                       && !arguments.text("decoder_first_pipeline_num_layers")
                       && !arguments.text("decoder_last_pipeline_num_layers"),
                   "num_layers_per_virtual_pipeline_stage " + std::to_string(layers.value_or(0))
                       + " does not divide the layers of a stage, which Megatron-LM refuses; "
                       + std::to_string(parallel.virtual_stages) + " virtual stages are taken.");
    parallel.schedule = defaultSchedule(parallel.virtual_stages);
    reading.tell("parallel.virtual_stages", parallel.virtual_stages,
                 {"virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank",
                  "num_layers_per_virtual_pipeline_stage"});
}

// Where there are virtual stages, by whatever argument.
void readMicroBatchGroup(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Parallel& parallel = reading.run.scenario.parallel;
    const auto group = arguments.size({"microbatch_group_size_per_vp_stage"});
    reading.noteIf(group && parallel.virtual_stages > 1 && *group < parallel.pipeline,
                   "microbatch_group_size_per_vp_stage " + std::to_string(group.value_or(0))
                       + " is less than the stages, which Megatron-LM refuses; groups of as many are taken.");
    if (group && parallel.virtual_stages > 1 && *group > parallel.pipeline) {
        parallel.micro_batch_group = *group;
        reading.tell("parallel.micro_batch_group", *group, {"microbatch_group_size_per_vp_stage"});
    }
}

// The layers of "ttt", "t*14" or "t": E embeds, m predicts a further token, L has the head.
std::optional<std::int64_t> layersOfStage(std::string_view text)
{
    std::int64_t layers = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char kind = text[at];
        if (kind != 'E' && kind != 't' && kind != 'm' && kind != 'L')
            return std::nullopt;
        std::int64_t times = 1;
        if (at + 1 < text.size() && text[at + 1] == '*') {
            const std::size_t begin = at + 2;
            const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
            const auto factor = wholeNumber(text.substr(begin, end - begin));
            if (!factor || *factor > most_listed_layers)
                return std::nullopt;
            times = *factor;
            at = end - 1;
        }
        layers += kind == 't' ? times : 0;
    }
    return layers;
}

// "(tt|)*2", which is as good as "tt|tt|".
struct LayoutGroup {
    std::string_view parts;
    std::int64_t times = 1;
    std::size_t end = 0; // behind it, in the layout
};

// That which opens at `at`.
std::optional<LayoutGroup> groupAt(std::string_view layout, std::size_t at)
{
    const std::size_t close = layout.find(')', at);
    if (close == std::string_view::npos)
        return std::nullopt;
    LayoutGroup group{layout.substr(at + 1, close - at - 1), 1, close + 1};
    if (layout.substr(group.end, 1) != "*")
        return group;
    const std::size_t digits = group.end + 1;
    group.end = std::min(layout.find_first_not_of("0123456789", digits), layout.size());
    const auto times = wholeNumber(layout.substr(digits, group.end - digits));
    if (!times)
        return std::nullopt;
    group.times = *times;
    return group;
}

// With every group written out; commas only part what is listed (Megatron-Core, PipelineParallelLayerLayout).
// Empty: it is no layout, or one of more letters than models have layers.
std::string withoutGroups(std::string listed)
{
    std::erase(listed, ',');
    const std::string_view layout = listed;
    std::string flat;
    for (std::size_t at = 0; at < layout.size();) {
        LayoutGroup next{layout.substr(at, 1), 1, at + 1};
        if (layout[at] == '(') {
            const auto group = groupAt(layout, at);
            if (!group)
                return {};
            next = *group;
        }
        const auto room = most_listed_layers - std::ssize(flat);
        if (next.times > room / std::max<std::int64_t>(1, std::ssize(next.parts)))
            return {};
        for (std::int64_t i = 0; i < next.times; ++i)
            flat += next.parts;
        at = next.end;
    }
    return flat;
}

// Layers for further tokens stand with the head in a scenario.
bool hasModulesBeforeTheEnd(std::string_view layout)
{
    const std::size_t last_bar = layout.rfind('|');
    return last_bar != std::string_view::npos && layout.find('m') < last_bar;
}

// "Et*14|t*14|t*14|t*12L", without groups; empty: it is no layout.
std::vector<std::int64_t> layersOfLayout(std::string_view layout)
{
    std::vector<std::int64_t> layers;
    while (true) {
        const std::size_t bar = layout.find('|');
        const auto one = layersOfStage(layout.substr(0, bar));
        if (!one)
            return {};
        layers.push_back(*one);
        if (bar == std::string_view::npos)
            return layers;
        layout.remove_prefix(bar + 1);
    }
}

// The first and the last stage have their own; the others share what is left. Each cuts its layers into as
// many virtual stages.
std::vector<std::int64_t> layersOfEnds(const RunArguments& arguments, const Scenario& scenario)
{
    const std::int64_t p = scenario.parallel.pipeline;
    const auto first = arguments.size({"decoder_first_pipeline_num_layers"});
    const auto last = arguments.size({"decoder_last_pipeline_num_layers"});
    const std::int64_t others = p - (first ? 1 : 0) - (last ? 1 : 0);
    const std::int64_t rest = scenario.model.layers - first.value_or(0) - last.value_or(0);
    const bool comes_out = others > 0 ? rest % others == 0 : rest == 0;
    if ((!first && !last) || others < 0 || !comes_out)
        return {};
    std::vector<std::int64_t> of_stages(static_cast<std::size_t>(p), others > 0 ? rest / others : 0);
    if (first)
        of_stages.front() = *first;
    if (last)
        of_stages.back() = *last;
    std::vector<std::int64_t> layers;
    for (std::int64_t part = 0; part < scenario.parallel.virtual_stages; ++part)
        for (const std::int64_t of_stage : of_stages)
            layers.push_back(of_stage / scenario.parallel.virtual_stages);
    return layers;
}

bool fits(const std::vector<std::int64_t>& layers, const Scenario& scenario)
{
    return std::ssize(layers) == scenario.parallel.pipeline * scenario.parallel.virtual_stages
           && std::reduce(layers.begin(), layers.end()) == scenario.model.layers;
}

void readOwnShares(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Scenario& scenario = reading.run.scenario;
    const auto layout = arguments.text("pipeline_model_parallel_layout");
    const bool has_ends = arguments.size({"decoder_first_pipeline_num_layers"})
                          || arguments.size({"decoder_last_pipeline_num_layers"});
    if (!layout && !has_ends)
        return;
    const std::string flat = layout ? withoutGroups(std::string{*layout}) : std::string{};
    std::vector<std::int64_t> layers = layout ? layersOfLayout(flat) : layersOfEnds(arguments, scenario);
    // A command line tells the number of virtual stages by the layout alone.
    if (layout && std::ssize(layers) % scenario.parallel.pipeline == 0
        && scenario.parallel.virtual_stages == 1 && std::ssize(layers) > scenario.parallel.pipeline) {
        scenario.parallel.virtual_stages = std::ssize(layers) / scenario.parallel.pipeline;
        scenario.parallel.schedule = defaultSchedule(scenario.parallel.virtual_stages);
    }
    if (!fits(layers, scenario)) {
        reading.run.notes.emplace_back("Which layers each stage has is not understood; they are shared out "
                                       "evenly.");
        return;
    }
    reading.noteIf(hasModulesBeforeTheEnd(flat),
                   "Layers of multi-token prediction stand before the last stage; "
                   "they are predicted with the head.");
    scenario.parallel.stage_layers = std::move(layers);
    reading.tell("parallel.stage_layers", "of each stage",
                 {"pipeline_model_parallel_layout", "decoder_first_pipeline_num_layers",
                  "decoder_last_pipeline_num_layers"});
}

// Bars in a hybrid model's pattern part what virtual stages hold, and nothing else makes virtual stages
// there.
void readSegments(ArgumentReading& reading, const HybridPattern& pattern, const std::string& name)
{
    Parallel& parallel = reading.run.scenario.parallel;
    const std::int64_t segments = std::ssize(pattern.segments);
    if (segments % parallel.pipeline != 0) {
        reading.run.notes.push_back(name + " parts the layers into " + std::to_string(segments)
                                    + " segments, no multiple of pipeline_model_parallel_size "
                                    + std::to_string(parallel.pipeline)
                                    + ", which Megatron-LM refuses; they are shared out evenly.");
        return;
    }
    parallel.virtual_stages = segments / parallel.pipeline;
    parallel.schedule = defaultSchedule(parallel.virtual_stages);
    parallel.stage_layers = pattern.segments;
    reading.tellByList("parallel.virtual_stages", std::to_string(parallel.virtual_stages), name);
    reading.tellByList("parallel.stage_layers", "of each stage", name);
}

void readHybridStages(ArgumentReading& reading)
{
    const Parallel& parallel = reading.run.scenario.parallel;
    const auto pattern = hybridPattern(reading.arguments);
    const std::string name{hybridPatternName(reading.arguments)};
    const bool has_bars = pattern && pattern->segments.size() > 1;
    reading.noteIf(has_bars && parallel.pipeline == 1,
                   name
                       + " parts the layers, and pipeline_model_parallel_size is 1; one stage has them all.");
    if (parallel.pipeline == 1)
        return;
    if (has_bars)
        return readSegments(reading, *pattern, name);
    reading.noteIf(
        parallel.virtual_stages > 1,
        "Megatron-LM has virtual stages of hybrid models by bars in hybrid_layer_pattern alone, and "
        "refuses others; "
            + std::to_string(parallel.virtual_stages) + " are predicted.");
    readOwnShares(reading);
    const std::int64_t layers = reading.run.scenario.model.layers;
    reading.noteIf(
        parallel.stage_layers.empty() && layers % parallel.pipeline != 0,
        "The " + std::to_string(layers) + " layers of the hybrid model are no multiple of "
            + std::to_string(parallel.pipeline)
            + " stages, which Megatron-LM refuses; bars (|) in hybrid_layer_pattern share them out. "
              "They are predicted as even as can be.");
}

// BigScience's fork shares out by DeepSpeed's methods.
void readBalance(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Parallel& parallel = reading.run.scenario.parallel;
    const bool with_embedding = arguments.isOn("account_for_embedding_in_pipeline_split");
    const bool with_loss = arguments.isOn("account_for_loss_in_pipeline_split");
    const auto method = arguments.text("pp_partition_method");
    if (with_embedding && with_loss)
        parallel.stage_balance = StageBalance::ends_count;
    if (method && method->find("embedding") != std::string_view::npos)
        parallel.stage_balance = StageBalance::ends_count;
    if (method && method->find("parameters") != std::string_view::npos)
        parallel.stage_balance = StageBalance::parameters;
    reading.tell("parallel.stage_balance", std::string{word(parallel.stage_balance)},
                 {"pp_partition_method", "account_for_embedding_in_pipeline_split",
                  "account_for_loss_in_pipeline_split"});
    reading.noteIf(with_embedding != with_loss,
                   "One end of the model counts as a layer where layers are shared out; a scenario counts "
                   "both or none, and none is taken.");
}

void readShares(ArgumentReading& reading)
{
    if (isHybrid(reading.arguments))
        return readHybridStages(reading);
    if (reading.run.scenario.parallel.pipeline == 1)
        return;
    readBalance(reading);
    readOwnShares(reading);
}

} // namespace

void readStages(ArgumentReading& reading)
{
    readVirtualStages(reading);
    readShares(reading);
    readMicroBatchGroup(reading);
}

} // namespace shardscope

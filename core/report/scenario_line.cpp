#include "core/report/scenario_line.h"

#include "core/base/format.h"
#include "core/prediction/time/machine.h"
#include "core/report/scenario_words.h"
#include "core/report/unusual_figures.h"
#include "core/scenario/defaults.h"
#include "core/scenario/presets.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/schedule_title.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace shardscope
{

namespace
{

// What the line says of one figure; empty: nothing.
struct LinePart {
    std::string text;
    bool is_close = false; // a comma joins it to the parts before
};

// What a scenario is called: its own name, while it still is what bears it, and its model's.
struct LineNames {
    std::string own;
    std::string model; // empty: a transformer of figures of one's own
};

std::string modelName(const Model& model, const Presets* presets)
{
    if (model.preset.empty() && model.kind == ModelKind::parameter_list)
        return "own list of parameters";
    const ModelPreset* preset = presets != nullptr ? presets->model(model.preset) : nullptr;
    return preset != nullptr ? preset->title : model.preset;
}

LineNames namesOf(const Scenario& scenario, bool is_edited, const Presets* presets)
{
    LineNames names{is_edited ? std::string{} : scenario.name, modelName(scenario.model, presets)};
    if (names.own == names.model)
        names.own.clear();
    return names;
}

std::string scheduleText(const Parallel& parallel)
{
    return parallel.pipeline > 1 ? std::string{titleOf(parallel.schedule)} : std::string{};
}

// The cluster that tells what the scenario's own has otherwise: the one it names, else its GPU's usual one.
const ClusterPreset* usualCluster(const Cluster& cluster, const Presets* presets)
{
    if (presets == nullptr)
        return nullptr;
    const ClusterPreset* named = presets->cluster(cluster.preset);
    return named != nullptr ? named : presets->clusterOfGpu(cluster.gpu, cluster.inter_node.kind);
}

// With the cluster's name, where its GPU usually stands in another.
std::string gpuText(const Cluster& cluster, const Presets* presets)
{
    const ClusterPreset* usual = presets != nullptr ? presets->clusterOfGpu(cluster.gpu) : nullptr;
    const bool is_usual = usual == nullptr || cluster.preset.empty() || usual->name == cluster.preset;
    return is_usual ? cluster.gpu : cluster.gpu + " (" + cluster.preset + ')';
}

// "GPU", "NIC (4 a node)".
std::string ownerText(const Cluster& cluster)
{
    const BandwidthOf owner = cluster.inter_node.bandwidth_of;
    return bandwidthOwnerWord(owner)
           + (owner == BandwidthOf::nic ? " (" + std::to_string(cluster.nics_per_node) + " a node)" : "");
}

// "50 GB/s a GPU between nodes", where a run has several, with the network's kind where it is not `usual`.
std::string networkText(const Scenario& scenario, const ClusterPreset* usual)
{
    const Machine machine{scenario.cluster};
    if (scenario.worldSize() <= machine.domain)
        return {};
    const Link& network = scenario.cluster.inter_node;
    const std::string text = formatPlain(network.bandwidth_GBps, 4) + " GB/s a " + ownerText(scenario.cluster)
                             + " between " + (machine.domain > machine.node ? "racks" : "nodes");
    const bool is_usual =
        network.kind.empty() || (usual != nullptr && usual->cluster.inter_node.kind == network.kind);
    return is_usual ? text : text + " (" + network.kind + ')';
}

// "mapping tp-pp-dp", innermost first, where it is not Megatron's.
std::string mappingText(const Parallel& parallel)
{
    const bool has_cp_or_ep = parallel.context > 1 || parallel.expert > 1;
    const auto text = [has_cp_or_ep](RankOrder order) {
        if (has_cp_or_ep)
            return rankOrderWord(order, false);
        std::stable_partition(order.begin(), order.end(), [](Dimension dimension) {
            return dimension == Dimension::cp || dimension == Dimension::ep;
        });
        std::string brief;
        for (std::size_t i = 2; i < order.size(); ++i)
            brief += (brief.empty() ? "" : "-") + std::string{word(order[i])};
        return brief;
    };
    const std::string own = text(parallel.rank_order);
    return own == text(megatron_rank_order) ? std::string{} : "mapping " + own;
}

// How layers are shared out among stages, where not evenly.
std::string stagesText(const Parallel& parallel)
{
    constexpr std::size_t most_listed = 16;
    if (parallel.stage_layers.size() > most_listed)
        return "layers of its own for each stage";
    std::string list;
    for (const std::int64_t layers : parallel.stage_layers)
        list += (list.empty() ? "stages of " : "-") + std::to_string(layers);
    if (!list.empty())
        return list + " layers";
    switch (parallel.pipeline > 1 ? parallel.stage_balance : StageBalance::layers) {
    case StageBalance::layers:
        return {};
    case StageBalance::ends_count:
        return "embedding and head count as layers";
    case StageBalance::parameters:
        break;
    }
    return "stages of equal parameters";
}

std::string above1(const char* letter, std::int64_t degree)
{
    return degree > 1 ? std::string{letter} + ' ' + std::to_string(degree) : std::string{};
}

// The GPUs, the links between them, and what is unusual of the cluster.
std::vector<LinePart> clusterParts(const Scenario& scenario, const Presets* presets)
{
    const Cluster& cluster = scenario.cluster;
    const ClusterPreset* usual = usualCluster(cluster, presets);
    std::vector<LinePart> parts{{gpuText(cluster, presets)},
                                {std::to_string(cluster.gpus_per_node) + " a node", true},
                                {networkText(scenario, usual), true}};
    for (std::string& text : unusualCluster(scenario, usual != nullptr ? usual->cluster : cluster))
        parts.push_back({std::move(text), true});
    return parts;
}

std::vector<LinePart> layoutParts(const Parallel& parallel, Framework framework)
{
    const bool is_usual = parallel.context == 1 || parallel.context_method == defaultContextMethod(framework);
    const std::string method = is_usual ? "" : " (" + std::string{word(parallel.context_method)} + ")";
    return {{"p " + std::to_string(parallel.pipeline), true},
            {"t " + std::to_string(parallel.tensor)},
            {"d " + std::to_string(parallel.data)},
            {above1("c", parallel.context) + method},
            {above1("ep", parallel.expert)},
            {parallel.holdsExpertsWhole() ? "etp 1" : ""},
            {mappingText(parallel)},
            {scheduleText(parallel)},
            {isVShaped(parallel.schedule) ? "" : above1("v", parallel.virtual_stages), true},
            {parallel.micro_batch_group > 0 && parallel.schedule == Schedule::interleaved
                 ? "groups of " + std::to_string(parallel.micro_batch_group)
                 : "",
             true},
            {stagesText(parallel), true},
            {"ZeRO " + std::to_string(parallel.zero_stage)},
            {parallel.sequence_parallel ? "sequence parallel" : ""}};
}

std::vector<LinePart> trainingParts(const Scenario& scenario)
{
    const Training& training = scenario.training;
    const bool is_transformer = scenario.model.kind == ModelKind::transformer;
    const bool recomputes = training.recompute != Recompute::none;
    std::vector<LinePart> parts{{is_transformer ? "s " + formatGrouped(scenario.model.sequence_length) : ""},
                                {"b " + formatGrouped(training.micro_batch_size)},
                                {"gb " + formatGrouped(training.global_batch_size)},
                                {std::string{word(training.precision)}},
                                {recomputes ? recomputationWords(scenario) : ""}};
    for (std::string& text : unusualTraining(scenario))
        parts.push_back({std::move(text)});
    for (std::string& text : unusualConventions(scenario))
        parts.push_back({std::move(text)});
    return parts;
}

// A model without a name is known by its size.
std::vector<LinePart> sizeParts(const Model& model)
{
    return {
        {countedSentence(model.layers, "1 layer", "# layers")},
        {model.mtp_layers > 0 ? "MTP " + std::to_string(model.mtp_layers) : "", true},
        {"hidden size " + std::to_string(model.hidden_size), true},
        {countedSentence(model.attention_heads, "1 head", "# heads"), true},
        {model.experts.count > 0 ? countedSentence(model.experts.count, "1 expert", "# experts") : "", true}};
}

// The same number of parts for every scenario.
std::vector<LinePart> partsOf(const Scenario& scenario, const LineNames& names, const Presets* presets)
{
    const std::int64_t gpus = scenario.worldSize();
    std::vector<LinePart> parts{{names.own}, {names.model}};
    const auto append = [&parts](std::vector<LinePart> more) {
        std::ranges::move(more, std::back_inserter(parts));
    };
    if (names.model.empty())
        append(sizeParts(scenario.model));
    parts.push_back({formatGrouped(gpus) + (gpus == 1 ? " GPU" : " GPUs")});
    append(layoutParts(scenario.parallel, scenario.conventions.framework));
    append(trainingParts(scenario));
    append(clusterParts(scenario, presets));
    parts.push_back(
        {scenario.time_model == TimeModel::li ? "Li et al.'s time model" : "detailed time model"});
    return parts;
}

} // namespace

std::string scenarioLine(const Scenario& scenario, bool is_edited, std::span<const Scenario> variations,
                         const Presets* presets)
{
    const LineNames names = namesOf(scenario, is_edited, presets);
    std::vector<LinePart> parts = partsOf(scenario, names, presets);
    for (const Scenario& variation : variations) {
        const std::vector<LinePart> other = partsOf(variation, names, presets);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (parts[i].text != other[i].text)
                parts[i].text.clear();
    }
    std::string line;
    bool is_begun = false; // something that commas may follow
    for (const LinePart& part : parts) {
        is_begun = is_begun && part.is_close;
        if (part.text.empty())
            continue;
        line += (line.empty() ? "" : is_begun ? ", " : " · ") + part.text;
        is_begun = true;
    }
    return line;
}

} // namespace shardscope

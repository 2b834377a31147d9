#include "core/report/scenario_words.h"

#include "core/base/format.h"
#include "core/prediction/not_calibrated.h"

namespace shardscope
{

std::string throughputWord(const Model& model)
{
    return model.kind == ModelKind::transformer ? "tokens/s" : "samples/s";
}

std::string globalBatchText(const Scenario& scenario)
{
    const std::string count = std::to_string(scenario.training.global_batch_size);
    if (scenario.model.kind != ModelKind::transformer)
        return count + " samples";
    return count + " sequences of " + std::to_string(scenario.model.sequence_length) + " tokens";
}

std::string bandwidthOwnerWord(BandwidthOf owner)
{
    switch (owner) {
    case BandwidthOf::gpu:
        return "GPU";
    case BandwidthOf::node:
        return "node";
    case BandwidthOf::nic:
        break;
    }
    return "NIC";
}

std::string clusterText(const Cluster& cluster)
{
    const auto link_text = [&cluster](const Link& link) {
        const std::string cards = link.bandwidth_of == BandwidthOf::nic
                                      ? " (" + std::to_string(cluster.nics_per_node) + " a node)"
                                      : std::string{};
        return link.kind + (link.kind.empty() ? "" : " ") + formatPlain(link.bandwidth_GBps, 4) + " GB/s a "
               + bandwidthOwnerWord(link.bandwidth_of) + cards;
    };
    const bool is_rack = cluster.scale_up_gpus > cluster.gpus_per_node;
    std::string text = cluster.gpu + ", " + std::to_string(cluster.gpus_per_node) + " a node";
    if (is_rack)
        text += ", " + std::to_string(cluster.scale_up_gpus) + " a rack";
    if (is_rack || cluster.gpus_per_node > 1)
        text += ", " + link_text(cluster.intra_node);
    text += "; " + link_text(cluster.inter_node) + (is_rack ? " between racks" : " between nodes");
    if (cluster.nodes_per_pod > 0)
        text += ", pods of " + std::to_string(cluster.nodes_per_pod) + " nodes"
                + (cluster.oversubscription > 1.0
                       ? " oversubscribed " + formatPlain(cluster.oversubscription, 3) + ":1"
                       : "");
    return cluster.preset.empty() ? text : text + " (" + cluster.preset + ')';
}

std::string calibrationNote(const Cluster& cluster)
{
    return cluster.calibrated ? std::string{} : "note: " + std::string{not_calibrated} + '\n';
}

} // namespace shardscope

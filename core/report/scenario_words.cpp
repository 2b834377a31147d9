#include "core/report/scenario_words.h"

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

std::string calibrationNote(const Cluster& cluster)
{
    return cluster.calibrated ? std::string{} : "note: " + std::string{not_calibrated} + '\n';
}

} // namespace shardscope

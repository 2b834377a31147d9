#include "core/base/json_writer.h"
#include "core/report/launch/launch_export.h"
#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_json.h"

#include <utility>

namespace shardscope
{

std::string clusterComment(const Cluster& cluster, const Presets& presets)
{
    const ClusterPreset* preset = matchingPreset(cluster, presets);
    if (preset != nullptr && !preset->is_own)
        return std::string{cluster_comment} + preset->name + '\n';
    Cluster figures = cluster;
    figures.preset.clear(); // no other machine may know it
    JsonWriter json{-1};
    writeCluster(figures, json);
    return std::string{cluster_comment} + json.take() + '\n';
}

} // namespace shardscope

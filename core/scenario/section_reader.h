#pragma once

#include "core/scenario/object_reader.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"
#include "core/scenario/scenario_json.h"

#include <string>
#include <vector>

namespace shardscope
{

// Of which Cluster{} has the figures.
inline constexpr const char* default_cluster = "dgx-a100";

// Readers of the sections that start from a preset and work out what the file leaves out. The sentence about
// the first mistake goes to `failure`.

// The file's keys over the preset that it names, over the defaults. Sizes that it leaves out follow those
// that it gives as deriveSizes() says; without a preset there are heads of 128.
Model readModel(const nlohmann::json& object, const std::string& path, const Presets& presets,
                std::string& failure);

// A cluster's own keys over `base`; keys that are null are left out and listed in `nulls`.
Cluster readClusterKeys(const nlohmann::json& object, const std::string& path, const Cluster& base,
                        std::vector<std::string>& nulls, std::string& failure);

// The file's keys over the preset that it names, else over the usual system of its GPU, else over the
// defaults. A named preset with another GPU keeps its links and takes the GPU's own figures from that GPU's
// usual system.
Cluster readCluster(const nlohmann::json& object, const std::string& path, const Presets& presets,
                    std::vector<ClusterAssumption>& assumptions, std::string& failure);

} // namespace shardscope

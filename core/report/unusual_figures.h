#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// The figures of a scenario that nobody would expect, each in words ("zero unit model", "no gradient norm"):
// those that its framework, its model or its GPU's usual cluster have otherwise. A figure that is as usual is
// an empty text, so that every scenario has as many of them.

std::vector<std::string> unusualTraining(const Scenario& scenario);
std::vector<std::string> unusualConventions(const Scenario& scenario);
// Against `usual`, the GPU's own cluster. What the time model does not use is none of them, nor are the GPU,
// the size of a node and the bandwidth between nodes.
std::vector<std::string> unusualCluster(const Scenario& scenario, const Cluster& usual);

} // namespace shardscope

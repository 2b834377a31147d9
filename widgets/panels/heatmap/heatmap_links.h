#pragma once

#include "core/prediction/traffic/link_totals.h"
#include "widgets/plots/heatmap/heatmap_scene.h"

#include <vector>

namespace shardscope
{

// About how many additions busiestLinks() takes.
std::int64_t linksCost(const TrafficFamilies& families, std::int64_t ranks_per_card);
// What the busiest network card sends or receives, and what the GPUs of the busiest node send each other,
// with the mean of all; the first line is a heading. Empty where nothing is sent.
std::vector<NodeTotalsLine> linkLines(const BusiestLinks& links, const Cluster& cluster);

// Whose links they are.
struct LinkedWorld {
    const Cluster& cluster;
    std::int64_t ranks = 0;
    std::int64_t gpus_per_node = 1; // that the links inside a node join
};
// The same in full (rich text), with both directions, and how it was counted. Empty where nothing is sent.
QString linksTip(const BusiestLinks& links, const LinkedWorld& world);

} // namespace shardscope

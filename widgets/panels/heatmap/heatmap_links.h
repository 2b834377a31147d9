#pragma once

#include "core/prediction/traffic/link_totals.h"
#include "widgets/plots/heatmap/heatmap_scene.h"

#include <vector>

namespace shardscope
{

// GPUs that share a network card.
std::int64_t ranksPerCard(const Cluster& cluster);
// About how many additions busiestLinks() takes.
std::int64_t linksCost(const TrafficFamilies& families, std::int64_t ranks_per_card);
// What the busiest network card and the busiest node carry, with the mean of all; the first line is a
// heading. Empty where nothing is sent.
std::vector<NodeTotalsLine> linkLines(const BusiestLinks& links, const Cluster& cluster);

} // namespace shardscope

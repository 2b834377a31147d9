#pragma once

#include "widgets/plots/heatmap/traffic_grid.h"

#include <vector>

namespace shardscope
{

// Traffic of ranks added up by node. A node stands in the place of a rank: what stays in it, it sends itself.
class NodeTraffic : public TrafficRows
{
public:
    NodeTraffic(const TrafficRows& of_ranks, std::int64_t gpus_per_node);
    std::int64_t ranks() const override { return static_cast<std::int64_t>(m_rows.size()); }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;

private:
    std::vector<std::vector<TrafficEntry>> m_rows; // of each node
};

} // namespace shardscope

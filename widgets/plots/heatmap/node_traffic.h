#pragma once

#include "widgets/plots/heatmap/traffic_grid.h"

#include <vector>

namespace shardscope
{

// Traffic of ranks added up by node. A node stands in the place of a rank: what stays in it, it sends itself.
// What it sends is known where that is known of each of its ranks.
class NodeTraffic : public TrafficRows
{
public:
    NodeTraffic(const TrafficRows& of_ranks, std::int64_t gpus_per_node, NodeShare share);
    std::int64_t ranks() const override { return static_cast<std::int64_t>(m_rows.size()); }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;
    bool knows(std::int64_t sender) const override;
    std::int64_t knownSenders() const override;

private:
    std::vector<std::vector<TrafficEntry>> m_rows; // of each node
    std::vector<bool> m_knows;
    bool m_knows_others = true; // behind the last one
};

} // namespace shardscope

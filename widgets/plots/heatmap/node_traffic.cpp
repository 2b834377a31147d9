#include "widgets/plots/heatmap/node_traffic.h"

#include <algorithm>

namespace shardscope
{

NodeTraffic::NodeTraffic(const TrafficRows& of_ranks, std::int64_t gpus_per_node)
{
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    for (std::int64_t first = 0; first < of_ranks.ranks(); first += node) {
        std::vector<TrafficEntry>& row = m_rows.emplace_back();
        for (std::int64_t rank = first; rank < std::min(first + node, of_ranks.ranks()); ++rank)
            of_ranks.appendRow(rank, row);
        for (TrafficEntry& entry : row)
            entry.receiver /= node;
        addUpReceivers(row);
    }
}

void NodeTraffic::appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const
{
    const std::vector<TrafficEntry>& row = m_rows[static_cast<std::size_t>(sender)];
    entries.insert(entries.end(), row.begin(), row.end());
}

} // namespace shardscope

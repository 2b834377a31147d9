#include "widgets/plots/heatmap/node_traffic.h"

#include <algorithm>

namespace shardscope
{

NodeTraffic::NodeTraffic(const TrafficRows& of_ranks, std::int64_t gpus_per_node, NodeShare share)
    : m_knows_others{of_ranks.knows(of_ranks.ranks())}
{
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    for (std::int64_t first = 0; first < of_ranks.ranks(); first += node) {
        const std::int64_t own = first / node;
        std::vector<TrafficEntry>& row = m_rows.emplace_back();
        bool knows_all = true;
        for (std::int64_t rank = first; rank < std::min(first + node, of_ranks.ranks()); ++rank) {
            of_ranks.appendRow(rank, row);
            knows_all = knows_all && of_ranks.knows(rank);
        }
        m_knows.push_back(knows_all);
        for (TrafficEntry& entry : row)
            entry.receiver /= node;
        if (share == NodeShare::between)
            std::erase_if(row, [own](const TrafficEntry& entry) { return entry.receiver == own; });
        addUpReceivers(row);
    }
}

void NodeTraffic::appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const
{
    const std::vector<TrafficEntry>& row = m_rows[static_cast<std::size_t>(sender)];
    entries.insert(entries.end(), row.begin(), row.end());
}

bool NodeTraffic::knows(std::int64_t sender) const
{
    return sender < ranks() ? m_knows[static_cast<std::size_t>(sender)] : m_knows_others;
}

std::int64_t NodeTraffic::knownSenders() const
{
    return std::ranges::count(m_knows, true);
}

} // namespace shardscope

#include "core/prediction/time/link_bandwidth.h"

#include "core/collectives/link_law.h"
#include "core/scenario/link_owners.h"
#include "core/scenario/node_wiring.h"

namespace shardscope
{

namespace
{

constexpr double ring_share_of_link = 0.80;
constexpr double rdma_share_of_network = 0.95;
constexpr double tcp_share_of_network = 0.50;

NodeLinks nodeLinks(const Cluster& cluster)
{
    const auto gpus = static_cast<double>(cluster.gpus_per_node);
    NodeLinks links;
    links.gpu_GBps = perGpu_GBps(cluster.intra_node, cluster);
    links.mesh_peers = meshPeers(cluster);
    links.node_GBps = perGpu_GBps(cluster.inter_node, cluster) * gpus;
    links.gpu_share = ring_share_of_link;
    links.node_share = isHalfReached(cluster.inter_node.kind) ? tcp_share_of_network : rdma_share_of_network;
    return links;
}

GroupSpread spreadOf(const RankLayout& layout, std::int64_t gpus_per_node, Kind kind)
{
    GroupSpread spread;
    spread.gpus_per_node = gpus_per_node;
    spread.ranks = layout.groupSize(kind);
    spread.ranks_per_node = layout.membersBelow(kind, gpus_per_node);
    // Every GPU of a node sends to its neighbour stage: none has more than its own part of the network.
    if (kind == Kind::pp && spread.crossesNodes())
        spread.ranks_per_node = 1;
    return spread;
}

} // namespace

BytesPerSecond derivedBandwidth(const Cluster& cluster, const RankLayout& layout, Kind kind)
{
    const GroupSpread spread = spreadOf(layout, cluster.gpus_per_node, kind);
    return BytesPerSecond{groupBandwidth_GBps(spread, nodeLinks(cluster)) * 1e9};
}

LayoutBandwidths::LayoutBandwidths(const Parallel& parallel, std::int64_t gpus_per_node)
    : m_layout{parallel}, m_gpus_per_node{gpus_per_node}
{
}

bool LayoutBandwidths::isOf(const Parallel& parallel, std::int64_t gpus_per_node) const
{
    return gpus_per_node == m_gpus_per_node && parallel == m_layout.parallel();
}

BytesPerSecond LayoutBandwidths::of(Kind kind, const Cluster& cluster)
{
    std::optional<GroupSpread>& spread = m_spreads[static_cast<std::size_t>(kind)];
    if (!spread)
        spread = spreadOf(m_layout, m_gpus_per_node, kind);
    return BytesPerSecond{groupBandwidth_GBps(*spread, nodeLinks(cluster)) * 1e9};
}

Seconds transferTime(Bytes bytes, BytesPerSecond bandwidth)
{
    return bandwidth.value() > 0.0 ? bytes / bandwidth : Seconds{};
}

} // namespace shardscope

#include "core/prediction/link_bandwidth.h"

#include "core/collectives/group_bandwidth.h"

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
    const auto perGpu = [&](const Link& link) {
        return link.bandwidth_of == BandwidthOf::node ? link.bandwidth_GBps / gpus : link.bandwidth_GBps;
    };
    NodeLinks links;
    links.gpu_GBps = perGpu(cluster.intra_node);
    links.node_GBps = perGpu(cluster.inter_node) * gpus;
    links.gpu_share = ring_share_of_link;
    links.node_share = cluster.inter_node.kind == "tcp" ? tcp_share_of_network : rdma_share_of_network;
    return links;
}

} // namespace

BytesPerSecond derivedBandwidth(const Cluster& cluster, const RankLayout& layout, Kind kind)
{
    GroupSpread spread;
    spread.gpus_per_node = cluster.gpus_per_node;
    spread.ranks = layout.groupSize(kind);
    spread.ranks_per_node = layout.membersBelow(kind, cluster.gpus_per_node);
    const NodeLinks links = nodeLinks(cluster);
    // Every GPU of a node sends to its neighbour stage: none has more than its own part of the network.
    if (kind == Kind::pp && spread.crossesNodes())
        spread.ranks_per_node = 1;
    return BytesPerSecond{groupBandwidth(spread, links) * 1e9};
}

Seconds transferTime(Bytes bytes, BytesPerSecond bandwidth)
{
    return bandwidth.value() > 0.0 ? bytes / bandwidth : Seconds{};
}

} // namespace shardscope

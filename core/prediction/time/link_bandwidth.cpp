#include "core/prediction/time/link_bandwidth.h"

#include "core/collectives/link_law.h"
#include "core/prediction/messages/forwarded_rows.h"
#include "core/scenario/link_owners.h"
#include "core/scenario/node_wiring.h"
#include "core/scenario/scale_up_domain.h"

namespace shardscope
{

namespace
{

constexpr double ring_share_of_link = 0.80;
constexpr double rdma_share_of_network = 0.95;
constexpr double tcp_share_of_network = 0.50;

NodeLinks nodeLinks(const Cluster& cluster, std::int64_t domain)
{
    const auto gpus = static_cast<double>(domain);
    NodeLinks links;
    links.gpu_GBps = perGpu_GBps(cluster.intra_node, cluster);
    links.mesh_peers = meshPeers(cluster);
    links.node_GBps = perGpu_GBps(cluster.inter_node, cluster) * gpus;
    links.gpu_share = ring_share_of_link;
    links.node_share = isHalfReached(cluster.inter_node.kind) ? tcp_share_of_network : rdma_share_of_network;
    return links;
}

GroupSpread spreadOf(const RankLayout& layout, std::int64_t domain, Kind kind, double straight_share)
{
    GroupSpread spread;
    spread.gpus_per_node = domain;
    spread.ranks = layout.groupSize(kind);
    spread.ranks_per_node = layout.membersBelow(kind, domain);
    spread.straight_share = straight_share;
    // Every GPU of a node sends to its neighbour stage: none has more than its own part of the network.
    if (kind == Kind::pp && spread.crossesNodes())
        spread.ranks_per_node = 1;
    return spread;
}

} // namespace

double straightShare(const Scenario& scenario, const RankLayout& layout, Kind kind)
{
    const bool by_ulysses = kind == Kind::cp && scenario.parallel.context_method == ContextMethod::ulysses;
    if (kind != Kind::ep && !by_ulysses)
        return 0.0;
    if (kind == Kind::ep)
        if (const auto rows = ForwardedRows::of(scenario))
            return rows->nodeRows() * (1.0 - 1.0 / static_cast<double>(rows->nodes())) / rows->meanSent();
    const auto members = static_cast<double>(layout.groupSize(kind));
    const std::int64_t domain = scaleUpDomain(scenario.cluster, layout.worldSize());
    const auto near = static_cast<double>(layout.membersBelow(kind, domain));
    return members > 1.0 ? (members - near) / (members - 1.0) : 0.0;
}

BytesPerSecond derivedBandwidth(const Cluster& cluster, const RankLayout& layout, Kind kind,
                                double straight_share)
{
    const std::int64_t domain = scaleUpDomain(cluster, layout.worldSize());
    const GroupSpread spread = spreadOf(layout, domain, kind, straight_share);
    return BytesPerSecond{groupBandwidth_GBps(spread, nodeLinks(cluster, domain)) * 1e9};
}

LayoutBandwidths::LayoutBandwidths(const Parallel& parallel, const Cluster& cluster)
    : m_layout{parallel}, m_domain{scaleUpDomain(cluster, m_layout.worldSize())}
{
}

bool LayoutBandwidths::isOf(const Parallel& parallel, const Cluster& cluster) const
{
    return parallel == m_layout.parallel() && scaleUpDomain(cluster, m_layout.worldSize()) == m_domain;
}

BytesPerSecond LayoutBandwidths::of(Kind kind, const Cluster& cluster)
{
    return of(kind, cluster, 0.0);
}

BytesPerSecond LayoutBandwidths::ofStraight(Kind kind, const Scenario& scenario)
{
    return of(kind, scenario.cluster, straightShare(scenario, m_layout, kind));
}

BytesPerSecond LayoutBandwidths::of(Kind kind, const Cluster& cluster, double straight_share)
{
    std::optional<GroupSpread>& spread = m_spreads[static_cast<std::size_t>(kind)];
    if (!spread)
        spread = spreadOf(m_layout, m_domain, kind, straight_share);
    return BytesPerSecond{groupBandwidth_GBps(*spread, nodeLinks(cluster, m_domain)) * 1e9};
}

Seconds transferTime(Bytes bytes, BytesPerSecond bandwidth)
{
    return bandwidth.value() > 0.0 ? bytes / bandwidth : Seconds{};
}

} // namespace shardscope

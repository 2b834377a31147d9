#include "core/scenario/link_owners.h"

#include <algorithm>

namespace shardscope
{

double gpusPerBandwidth(const Link& link, const Cluster& cluster)
{
    const auto gpus = static_cast<double>(cluster.gpus_per_node);
    switch (link.bandwidth_of) {
    case BandwidthOf::gpu:
        return 1.0;
    case BandwidthOf::node:
        return gpus;
    case BandwidthOf::nic:
        return gpus / static_cast<double>(std::max<std::int64_t>(1, cluster.nics_per_node));
    }
    return 1.0;
}

double perGpu_GBps(const Link& link, const Cluster& cluster)
{
    return link.bandwidth_GBps / gpusPerBandwidth(link, cluster);
}

double aloneOnNetwork_GBps(const Cluster& cluster)
{
    constexpr double slowest_GBps = 12.5;
    const Link& network = cluster.inter_node;
    const double share_GBps = perGpu_GBps(network, cluster);
    const bool is_nic = network.bandwidth_of == BandwidthOf::nic;
    return std::max(share_GBps, is_nic ? network.bandwidth_GBps : slowest_GBps);
}

std::int64_t ranksPerCard(const Cluster& cluster)
{
    const std::int64_t gpus = std::max<std::int64_t>(1, cluster.gpus_per_node);
    const Link& network = cluster.inter_node;
    const bool are_fewer =
        cluster.nics_per_node > 0 ? cluster.nics_per_node < gpus : network.bandwidth_of == BandwidthOf::node;
    const bool takes_others = aloneOnNetwork_GBps(cluster) > perGpu_GBps(network, cluster);
    return are_fewer || takes_others ? gpus : 1;
}

} // namespace shardscope

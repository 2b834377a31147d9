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

std::int64_t ranksPerCard(const Cluster& cluster)
{
    const std::int64_t gpus = std::max<std::int64_t>(1, cluster.gpus_per_node);
    const bool are_shared = cluster.nics_per_node > 0 ? cluster.nics_per_node < gpus
                                                      : cluster.inter_node.bandwidth_of == BandwidthOf::node;
    return are_shared ? gpus : 1;
}

} // namespace shardscope

#include "core/scenario/node_wiring.h"

#include "core/collectives/link_law.h"
#include "core/scenario/link_owners.h"

#include <algorithm>

namespace shardscope
{

int meshPeers(const Cluster& cluster)
{
    const std::int64_t gpus = cluster.gpus_per_node;
    if (cluster.scale_up_gpus > gpus || cluster.node_wiring == NodeWiring::switched)
        return 0;
    if (cluster.node_wiring == NodeWiring::mesh)
        return static_cast<int>(std::max<std::int64_t>(gpus - 1, 0));
    const Link& link = cluster.intra_node;
    return meshPeers(link.kind, link.bandwidth_GBps / gpusPerBandwidth(link, cluster), gpus);
}

bool needsWiring(const Cluster& cluster)
{
    Cluster by_figures = cluster;
    by_figures.node_wiring = NodeWiring::automatic;
    return meshPeers(by_figures) != meshPeers(cluster);
}

void keepWiring(Cluster& cluster, const Cluster& base)
{
    if (meshPeers(cluster) != meshPeers(base))
        cluster.node_wiring = meshPeers(base) > 0 ? NodeWiring::mesh : NodeWiring::switched;
}

} // namespace shardscope

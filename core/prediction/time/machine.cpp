#include "core/prediction/time/machine.h"

#include "core/scenario/link_owners.h"
#include "core/scenario/node_wiring.h"
#include "core/scenario/scale_up_domain.h"

#include <algorithm>

namespace shardscope
{

namespace
{

BytesPerSecond perGpu(const Link& link, const Cluster& cluster)
{
    return BytesPerSecond{link.bandwidth_GBps * 1e9 / gpusPerBandwidth(link, cluster)};
}

} // namespace

Machine::Machine(const Cluster& cluster)
    : peak{cluster.peak_tflops * 1e12},
      memory{cluster.memory_bandwidth_GBps * 1e9},
      law{cluster.compute},
      node{static_cast<int>(cluster.gpus_per_node)},
      domain{static_cast<int>(scaleUpDomain(cluster))},
      launch_blocking{cluster.launch_blocking}
{
    pod_gpus = cluster.nodes_per_pod * cluster.gpus_per_node;
    if (pod_gpus > 0)
        interconnect.oversubscription = cluster.oversubscription;
    interconnect.intra = perGpu(cluster.intra_node, cluster);
    interconnect.mesh_peers = meshPeers(cluster);
    interconnect.network = perGpu(cluster.inter_node, cluster) * domain;
    interconnect.adapter = std::min(interconnect.network, BytesPerSecond{aloneOnNetwork_GBps(cluster) * 1e9});
    interconnect.intra_latency = Seconds{cluster.intra_node.latency_us * 1e-6};
    interconnect.inter_latency = Seconds{cluster.inter_node.latency_us * 1e-6};
    interconnect.in_network_reduction = cluster.in_network_reduction;
    interconnect.few_node_trees = cluster.few_node_trees;
    interconnect.law = cluster.collectives;
}

int Machine::domainOf(std::int64_t world) const
{
    return static_cast<int>(filledDomain(domain, node, world));
}

std::int64_t Machine::podRanks(std::int64_t world) const
{
    const std::int64_t ranks = pod_gpus / domain * domainOf(world);
    return ranks < world ? ranks : 0;
}

} // namespace shardscope

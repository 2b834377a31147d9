#pragma once

#include "core/base/quantity.h"
#include "core/collectives/collective_time.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// A cluster in base units, as the detailed time model sees it.
struct Machine {
    explicit Machine(const Cluster& cluster);

    FlopsPerSecond peak; // 16 bit
    BytesPerSecond memory;
    ComputeLaw law;
    Interconnect interconnect;
    int node = 1;                 // GPUs of a machine
    int domain = 1;               // GPUs that the links inside a node, or a rack of nodes, join
    std::int64_t pod_gpus = 0;    // of a pod of nodes; 0: all nodes are in one
    bool launch_blocking = false; // kernels are started one by one

    // GPUs that `world` ranks take of each domain: schedulers fill racks evenly, with whole nodes.
    int domainOf(std::int64_t world) const;
    double podDomains() const { return static_cast<double>(pod_gpus) / domain; }
    // Ranks that share a pod; 0: the world has no second one.
    std::int64_t podRanks(std::int64_t world) const;
};

} // namespace shardscope

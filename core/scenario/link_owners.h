#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// GPUs that have a link's bandwidth together: one, those of a node, or those that a NIC is for, which may be
// less than one.
double gpusPerBandwidth(const Link& link, const Cluster& cluster);

// What one GPU has of it while all others of its node send too.
double perGpu_GBps(const Link& link, const Cluster& cluster);

// GPUs whose traffic to other nodes goes over the same NICs: those of a node where the cluster says that they
// share them, as nothing tells which GPU uses which; else one.
std::int64_t ranksPerCard(const Cluster& cluster);

} // namespace shardscope

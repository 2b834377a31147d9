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

// What a GPU has of the network while the others of its node are silent: no less than the slowest NICs of
// training clusters have, of 100 Gb/s, or than a NIC where the bandwidth is that.
double aloneOnNetwork_GBps(const Cluster& cluster);

// GPUs whose traffic to other nodes goes over the same NICs: those of a node where the cluster says that they
// share them, or where one alone takes more than its part of the network, as nothing tells which GPU uses
// which; else one.
std::int64_t ranksPerCard(const Cluster& cluster);

} // namespace shardscope

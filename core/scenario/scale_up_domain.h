#pragma once

#include <cstdint>

namespace shardscope
{

struct Cluster;

// GPUs that fast links join: of a node, or of a rack of nodes.
std::int64_t scaleUpDomain(const Cluster& cluster);
// Those that `world` ranks take of each domain: schedulers fill racks evenly, with whole nodes.
std::int64_t scaleUpDomain(const Cluster& cluster, std::int64_t world);
// The same of a domain of nodes of so many GPUs. A rack that counts as one node is handed out by trays.
std::int64_t filledDomain(std::int64_t domain, std::int64_t node, std::int64_t world);

} // namespace shardscope

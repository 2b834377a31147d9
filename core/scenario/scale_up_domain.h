#pragma once

#include <cstdint>

namespace shardscope
{

struct Cluster;

// GPUs that fast links join: of a node, or of a rack of nodes.
std::int64_t scaleUpDomain(const Cluster& cluster);
// Those that `world` ranks take of each domain: whole ones where that comes out even, else a power of two
// where that does (64 of an NVL72's 72 in NVIDIA's recipes), else racks filled alike, with whole nodes.
std::int64_t scaleUpDomain(const Cluster& cluster, std::int64_t world);
// The same of a domain of nodes of so many GPUs. A rack that counts as one node is handed out by trays.
std::int64_t filledDomain(std::int64_t domain, std::int64_t node, std::int64_t world);
// Of `ranks` those of each domain where hosts, as a launcher names them, have so many: those of a rack's
// trays are in one.
std::int64_t ranksOfDomain(const Cluster& cluster, std::int64_t ranks_of_host, std::int64_t ranks);

} // namespace shardscope

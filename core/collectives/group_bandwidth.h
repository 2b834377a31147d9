#pragma once

#include <cstdint>

namespace shardscope
{

// How a group of ranks lies on the nodes.
struct GroupSpread {
    std::int64_t ranks = 1;
    std::int64_t ranks_per_node = 1; // members on one node
    std::int64_t gpus_per_node = 1;  // siblings on the same node use its links at the same time

    // Of what a rank sends to others by itself, not around a ring, the share that leaves its node; 0: a ring.
    double straight_share = 0.0;

    std::int64_t groupsPerNode() const
    {
        return gpus_per_node > ranks_per_node ? gpus_per_node / ranks_per_node : 1;
    }
    bool crossesNodes() const { return ranks > ranks_per_node; }
};

// Nominal bandwidths, one direction, in GB/s, and the share of each that collectives reach.
struct NodeLinks {
    double gpu_GBps = 0.0;  // of one GPU within the node
    int mesh_peers = 0;     // GPUs of its node that it has links of their own to; 0: a switch joins them
    double node_GBps = 0.0; // of all the node's network links together
    double gpu_share = 1.0;
    double node_share = 1.0;
};

// Bandwidth that each member of a ring has while all its siblings run too: that of the link within the node,
// or the group's part of the node's network links, whichever is less.
double groupBandwidth_GBps(const GroupSpread& spread, const NodeLinks& links);

} // namespace shardscope

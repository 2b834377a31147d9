#pragma once

#include "core/prediction/traffic/traffic_families.h"

#include <array>
#include <cstdint>
#include <span>

namespace shardscope
{

// Bytes of one iteration that stay inside nodes, and that go from one to another.
struct NodeSplit {
    double intra_node_bytes = 0.0;
    double inter_node_bytes = 0.0;
};

// Cells whose receiver is in the node of the sender.
std::int64_t cellsInsideNodes(const TrafficFamily& family, std::int64_t node, std::int64_t world);

// Of every kind, exact at any world size. Ranks [k * gpus_per_node, (k + 1) * gpus_per_node) share node k.
std::array<NodeSplit, kind_count> nodeSplits(const TrafficFamilies& families, std::int64_t gpus_per_node);

// What goes over the links of some ranks of one node in an iteration.
struct LinkLoad {
    double sent_bytes = 0.0;            // to other nodes
    double received_bytes = 0.0;        // from other nodes
    double inside_bytes = 0.0;          // sent by these ranks to others of their node
    double inside_received_bytes = 0.0; // by these ranks from others of their node

    LinkLoad& operator+=(const LinkLoad& other);
};
LinkLoad linkLoad(const TrafficFamilies& families, std::int64_t first_rank, std::int64_t ranks,
                  std::int64_t gpus_per_node);
// Of those families alone.
LinkLoad linkLoad(std::span<const TrafficFamily> families, std::int64_t first_rank, std::int64_t ranks,
                  std::int64_t gpus_per_node);
// Of each rank by itself. The work is that of the cells, where linkLoad() of every rank costs as many
// additions as there are families and ranks.
std::vector<LinkLoad> linkLoads(std::span<const TrafficFamily> families, std::int64_t world,
                                std::int64_t gpus_per_node);

} // namespace shardscope

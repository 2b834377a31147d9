#pragma once

#include "core/prediction/traffic/traffic_families.h"

#include <array>
#include <cstdint>

namespace shardscope
{

// Bytes of one iteration that stay inside nodes, and that go from one to another.
struct NodeSplit {
    double intra_node_bytes = 0.0;
    double inter_node_bytes = 0.0;
};

// Of every kind, exact at any world size. Ranks [k * gpus_per_node, (k + 1) * gpus_per_node) share node k.
std::array<NodeSplit, kind_count> nodeSplits(const TrafficFamilies& families, std::int64_t gpus_per_node);

// What goes over the links of some ranks of one node in an iteration.
struct LinkLoad {
    double sent_bytes = 0.0;     // to other nodes
    double received_bytes = 0.0; // from other nodes
    double inside_bytes = 0.0;   // sent by these ranks to others of their node
};
LinkLoad linkLoad(const TrafficFamilies& families, std::int64_t first_rank, std::int64_t ranks,
                  std::int64_t gpus_per_node);

// The links that carry most, with the mean of all links. A network card serves one GPU, or its whole node.
struct BusiestLinks {
    std::int64_t card_first_rank = 0; // of the card with the most bytes one way
    std::int64_t ranks_per_card = 1;
    LinkLoad card;
    double mean_card_bytes = 0.0; // sent
    std::int64_t domain = 0;      // the node whose own links (NVLink, PCIe, ...) carry most
    double domain_bytes = 0.0;
    double mean_domain_bytes = 0.0;
};
// Of equal ones the first. Ranks that play the same part are looked at once.
BusiestLinks busiestLinks(const TrafficFamilies& families, std::int64_t gpus_per_node,
                          std::int64_t ranks_per_card);

} // namespace shardscope

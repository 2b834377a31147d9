#pragma once

#include "core/prediction/traffic/cell_loads.h"
#include "core/prediction/traffic/link_totals.h"
#include "core/prediction/traffic/node_loads.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// What joins the GPUs of a machine, as far as it tells which bytes go over one link.
struct NodeShape {
    std::int64_t gpus = 1;           // that the links inside a node, or a rack that is one domain, join
    std::int64_t ranks_per_card = 1; // a network card serves one GPU, or its whole node
    bool is_mesh = false;            // inside, two GPUs have links of their own; else each has one to all
    std::int64_t pod_gpus = 0;       // of a pod, whose way to others may be narrow; 0: there are no others
    RingAdapters ring_adapters{};    // by kind

    bool operator==(const NodeShape&) const = default;
};
NodeShape nodeShape(const Scenario& scenario);

// Of the links inside nodes the one that carries most one way.
struct InnerLink {
    std::int64_t rank = 0;  // whose it is; of a mesh, who sends over it
    std::int64_t peer = -1; // of a mesh, who receives; -1: it is the GPU's to all others
    double bytes = 0.0;
    bool is_received = false; // the GPU receives more than it sends
};

// The links that carry most, with the mean of all links.
struct BusiestLinks {
    std::int64_t card_first_rank = 0; // of the card with the most bytes one way
    std::int64_t ranks_per_card = 1;
    LinkLoad card;
    double mean_card_bytes = 0.0; // sent
    std::int64_t domain = 0;      // the node whose own links (NVLink, PCIe, ...) carry most
    double domain_bytes = 0.0;
    double mean_domain_bytes = 0.0;
    InnerLink inner;
    std::int64_t pod_first_rank = 0; // of the pod with the most bytes one way from or to others
    std::int64_t pod_ranks = 0;      // 0: there are no others
    LinkLoad pod;
};
// Of equal ones the first. Nodes that play the same part are looked at once.
BusiestLinks busiestLinks(const TrafficFamilies& families, const NodeShape& shape);
// About how many additions that takes, at most.
std::int64_t busiestLinksCost(const TrafficFamilies& families);
// Of what a run sent.
BusiestLinks busiestLinks(std::span<const CellsOfKind> kinds, std::int64_t world, const NodeShape& shape,
                          const RankLayout* layout);

// What the bytes of an iteration make of a link. At its full rate they keep it busy for busy_s(): it takes
// no less, and longer as far as collectives reach less than that.
struct LinkUse {
    bool is_inside = false; // a node
    bool is_between_pods = false;
    bool is_received = false;    // the way that carries more
    std::int64_t first_rank = 0; // whose link it is
    std::int64_t ranks = 1;      // that share it
    std::int64_t peer = -1;      // of a mesh the GPU at its other end
    double bytes = 0.0;
    double GBps = 0.0; // one way

    double busy_s() const { return GBps > 0.0 ? bytes / (GBps * 1e9) : 0.0; }
};
// Of the busiest network card, of the busiest link inside a node and of the busiest pod's way to others,
// those that carry anything.
std::vector<LinkUse> linkUses(const BusiestLinks& links, const Cluster& cluster);

// Rings are what bytes are counted by; switches that add up, and trees, send less of an all_reduce.
bool mayReduceOnTheWay(const Scenario& scenario);

} // namespace shardscope

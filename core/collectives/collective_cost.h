#pragma once

#include "core/collectives/collective_time.h"

#include <optional>

namespace shardscope
{

// What a collective's steps take: a start, and so many steps. Networks that are slow to answer add to those
// between nodes.
struct StepLatency {
    enum class Way : unsigned char { ring, tree };

    Way way = Way::ring;
    Seconds start;
    Seconds step;
    double steps = 0.0;
    Seconds slower; // by which each hop between nodes is slower than where the constants were measured
    double hops = 0.0;

    Seconds total() const { return start + step * steps + slower * hops; }
};

// What collectiveTime() makes the time of one call of: T = (L^blend + transfer^blend)^(1/blend), where the
// transfer is that inside the nodes or that between them, whichever takes longer. Not of a send.
struct CollectiveCost {
    StepLatency latency;
    Bytes inside_bytes; // that one rank sends over its node's links
    BytesPerSecond inside;
    Bytes network_bytes; // that pass the group's part of a node's network; 0 on one node
    BytesPerSecond network;
    double blend = 1.0;
    bool by_switch = false; // the node's switch adds up (NVLS)
    bool by_trees = false;  // the network_bytes are treeBytes(), which are fewer than a ring's

    Seconds insideTime() const { return inside_bytes / inside; }
    Seconds networkTime() const;
    bool isBoundByNetwork() const { return networkTime() > insideTime(); }
    Seconds transfer() const { return isBoundByNetwork() ? networkTime() : insideTime(); }
    Seconds time() const;
};

// Pre: a group of several; no send or receive.
CollectiveCost collectiveCost(Op op, Bytes message, const Communicator& group,
                              const Interconnect& interconnect);

// The most members whose steps count: larger domains than a rack of 72 are taken to need no more.
inline constexpr int most_ring_members = 72;

// What the busiest of two or three nodes sends between them in an all_reduce of S bytes by a pair of
// complementary trees, as NCCL builds them, each of which takes one half up and down: S of two nodes, 3/2 S
// of three. A ring sends 2(n-1)/n S, up to twice and 4/3 of that. Nothing of other numbers of nodes, where
// trees send no less than rings.
std::optional<Bytes> treeBytes(Bytes message, int nodes);

// Adapters by which the group's members leave a node, and those of them that a collective takes.
int adaptersOf(const Communicator& group);
double adaptersTaken(Op op, const Communicator& group, const CollectiveLaw& law);

} // namespace shardscope

#pragma once

#include "core/base/quantity.h"
#include "core/collectives/collective.h"
#include "core/collectives/collective_law.h"

#include <limits>

namespace shardscope
{

// What connects the GPUs: bandwidths in one direction.
struct Interconnect {
    BytesPerSecond intra;   // of one GPU inside its node, all its links together
    int mesh_peers = 0;     // GPUs of its node that it has links of their own to; 0: a switch joins them
    BytesPerSecond network; // of one node, all its adapters together
    // What one GPU gets of the network while the others are silent.
    BytesPerSecond adapter{std::numeric_limits<double>::infinity()};
    Seconds intra_latency;
    Seconds inter_latency;
    bool in_network_reduction = false; // switches of the network add up (SHARP)
    bool few_node_trees = false;       // on two and three nodes all_reduce takes trees: treeBytes()
    // The nodes of a pod can send that part of their bandwidth to other pods: one of so many. 1: all of it.
    double oversubscription = 1.0;
    CollectiveLaw law;
};

// How the members of groups lie on pods, which are nodes that have their whole bandwidth among themselves.
struct PodPlace {
    // What the rings of all groups send from a pod to others at the same time, of what its nodes can send; 0:
    // none leaves it.
    double share = 0.0;
    double share_to_all = 0.0; // the same of an all_to_all: what is meant for other pods
    bool operator==(const PodPlace&) const = default;
};

// How the members of a group lie on the nodes.
struct Communicator {
    int members = 1;
    int per_node = 1; // members that share a node
    int siblings = 1; // groups that use the node's network at the same time
    int adapters = 0; // that its rings leave a node by; 0: as many as members on the node with the fewest
    int spans = 0;    // nodes; 0: as few as it can, filled one after the other
    // An all_to_all crosses once to each node, where it is handed on inside: what crosses so, the own node
    // included, over the message. 0: everything goes straight to its receiver.
    double forwarded = 0.0;
    PodPlace pods{};

    int nodes() const { return spans > 0 ? spans : (members + per_node - 1) / per_node; }
    bool isForwarded() const { return forwarded > 0.0 && nodes() > 1; }
    int fewestOnNode() const { return members - (nodes() - 1) * per_node; }
};

// Time of one call. With w the bytes that one rank sends, B the bandwidth of its narrowest link and L the
// latency of all steps, T = (L^p + (w/B)^p)^(1/p), B = min(intra_efficiency * intra, inter_efficiency *
// min(network / siblings, adapters * adapter)), where rings take law.ring_adapters at most; of a mesh a group
// has the links between its members alone, and out of a pod inter_efficiency * network / siblings /
// podSlowdown() at most. p = 1 is Hockney's model, p < 1 makes the middle sizes slower, as
// protocol changes and pipelining of chunks do. L grows with log2(nodes) for all_reduce (trees), with the
// members for ring-only collectives. message_bytes as wireBytes() defines it. A group of one takes no time.
Seconds collectiveTime(Op op, Bytes message, const Communicator& group, const Interconnect& interconnect);

// Of the nodes' bandwidth, for each doubling of their number: law.derate_per_doubling. It was fitted to rings
// and trees, and where switches reduce to the trees between them: all_to_all goes straight, and a ring of
// single adapters loses nothing (DGX H100).
double lossPerDoubling(Op op, const Communicator& group, const Interconnect& interconnect);

// How many times as long as a node's network the way out of a pod takes for what leaves it, all groups
// sending at the same time. At least 1. By bandwidths alone: no published run tells what it costs.
double podSlowdown(Op op, const Communicator& group, const Interconnect& interconnect);

// Time of one message between two ranks, on one node or on two. `sharing`: ranks of a node that send at the
// same time. It is at most what one adapter per GPU gives. `pod_share`: as that of a PodPlace.
Seconds sendTime(Bytes message, bool same_node, int sharing, const Interconnect& interconnect,
                 double pod_share = 0.0);

// Bus bandwidth as nccl-tests counts it, in GB/s: bytes / time * {2(n-1)/n all_reduce, (n-1)/n all_gather,
// reduce_scatter and all_to_all, 1 others}.
double busBandwidthGBps(Op op, int members, Bytes message, Seconds time);

} // namespace shardscope

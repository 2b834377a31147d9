#include "core/collectives/collective_time.h"

#include "core/collectives/ring.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double second_per_us = 1e-6;
// The largest domain whose steps were measured, a rack of 72; larger ones are taken to need no more.
constexpr int largest_ring = 72;
// Between nodes of the systems whose constants were measured.
constexpr Seconds measured_inter_latency{30e-6};

// What the steps take by the measured constants. Links that are slower to answer than those that were
// measured add the difference for each step between nodes: rings take one for each further node, trees go up
// and down.
Seconds latency(Op op, const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const Seconds slower = std::max(Seconds{0.0}, interconnect.inter_latency - measured_inter_latency);
    if (op != Op::all_reduce)
        return Seconds{second_per_us * (law.ring_base_us + law.ring_step_us * (group.members - 1))}
               + slower * (group.nodes() - 1.0);
    const int steps = 2 * (std::min(group.per_node, largest_ring) - 1);
    const Seconds inside =
        interconnect.intra_latency + Seconds{second_per_us * law.all_reduce_step_us * steps};
    if (group.nodes() == 1)
        return inside;
    const double doublings = std::log2(group.nodes());
    const Seconds between = Seconds{second_per_us * law.all_reduce_doubling_us * doublings};
    return std::max(inside, between + slower * (2.0 * doublings));
}

Bytes sentOnRing(Op op, Bytes message, int members)
{
    return Bytes{ringBytes(op, members, message.value())};
}

// Of a mesh's links those to the other members, of a switch's all.
BytesPerSecond linksAmong(int members, const Interconnect& interconnect)
{
    const int peers = interconnect.mesh_peers;
    const int others = std::max(1, members - 1);
    return others < peers ? interconnect.intra * (static_cast<double>(others) / peers) : interconnect.intra;
}

// Bandwidth of what sentOnRing() sends inside a node. A switch that adds up takes S from each of the g
// members, each of which then gives its part of the sum, S/g, to all; NCCL takes it where it is faster than
// the ring.
BytesPerSecond intraBandwidth(Op op, const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const BytesPerSecond ring = linksAmong(group.per_node, interconnect) * law.intra_efficiency;
    const bool by_switch = law.switch_reduce_efficiency > 0.0 && interconnect.mesh_peers == 0;
    if (op != Op::all_reduce || !by_switch || group.per_node < 2)
        return ring;
    const double g = group.per_node;
    const double by_link = law.switch_link_efficiency * (2.0 * (g - 1.0) / g) / (1.0 + 1.0 / g);
    return std::max(ring, interconnect.intra * std::min(law.switch_reduce_efficiency, by_link));
}

int adaptersOf(const Communicator& group)
{
    return group.adapters > 0 ? group.adapters : group.fewestOnNode();
}

BytesPerSecond networkBandwidth(const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const double derate = 1.0 + law.derate_per_doubling * std::log2(group.nodes());
    const BytesPerSecond part = interconnect.network / std::max(1, group.siblings);
    const int adapters = adaptersOf(group);
    return std::min(part, interconnect.adapter * adapters) * (law.inter_efficiency / derate);
}

// Each of the group's ranks in a node sends what is meant for other nodes through the node's network.
Seconds allToAllTransfer(Bytes message, const Communicator& group, const Interconnect& interconnect)
{
    const BytesPerSecond inside = intraBandwidth(Op::all_to_all, group, interconnect);
    const double near = (group.per_node - 1.0) / group.members;
    const Seconds inner = message * near / inside;
    if (group.nodes() == 1)
        return inner;
    const double senders = adaptersOf(group);
    const double far = 1.0 - senders / group.members;
    const Seconds outer = message * far * senders / networkBandwidth(group, interconnect);
    return std::max(inner, outer);
}

// Rings send the same share over every link. Switches of the network that add up take each node's sum once:
// inside the nodes the ring remains.
Seconds ringTransfer(Op op, Bytes message, const Communicator& group, const Interconnect& interconnect)
{
    const BytesPerSecond inside = intraBandwidth(op, group, interconnect);
    if (group.nodes() == 1)
        return sentOnRing(op, message, group.members) / inside;
    const BytesPerSecond network = networkBandwidth(group, interconnect);
    if (op != Op::all_reduce || !interconnect.in_network_reduction)
        return sentOnRing(op, message, group.members) / std::min(inside, network);
    return std::max(sentOnRing(op, message, group.per_node) / inside, message / network);
}

} // namespace

Seconds collectiveTime(Op op, Bytes message, const Communicator& group, const Interconnect& interconnect)
{
    assert(group.members >= 1 && group.per_node >= 1 && group.per_node <= group.members);
    if (group.members <= 1 || op == Op::recv)
        return Seconds{0.0};
    if (op == Op::send)
        return sendTime(message, group.nodes() == 1, group.siblings, interconnect);
    const Seconds steps = latency(op, group, interconnect);
    if (op == Op::all_to_all)
        return steps + allToAllTransfer(message, group, interconnect);
    const Seconds transfer = ringTransfer(op, message, group, interconnect);
    if (op != Op::all_reduce)
        return steps + transfer;
    const double p = interconnect.law.blend;
    return Seconds{std::pow(std::pow(steps.value(), p) + std::pow(transfer.value(), p), 1.0 / p)};
}

Seconds sendTime(Bytes message, bool same_node, int sharing, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    if (same_node)
        return interconnect.intra_latency + message / (linksAmong(2, interconnect) * law.intra_efficiency);
    const BytesPerSecond part =
        std::min(interconnect.network / std::max(1, sharing), interconnect.adapter) * law.inter_efficiency;
    return interconnect.inter_latency + message / std::min(part, interconnect.intra);
}

double busBandwidthGBps(Op op, int members, Bytes message, Seconds time)
{
    if (members < 2 || time.value() <= 0.0)
        return 0.0;
    return ringBytes(op, members, message.value()) / time.value() / 1e9;
}

} // namespace shardscope

#include "core/collectives/collective_time.h"

#include "core/collectives/collective_cost.h"
#include "core/collectives/ring.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double second_per_us = 1e-6;
// Inside and between nodes of the systems whose constants were measured.
constexpr Seconds measured_intra_latency{6e-6};
constexpr Seconds measured_inter_latency{30e-6};

Seconds microseconds(double value)
{
    return Seconds{second_per_us * value};
}

// What the steps take by the measured constants. Links that are slower to answer than those that were
// measured add the difference: inside nodes to the start, as an all_reduce has it, between them for each
// step; rings take one for each further node, trees go up and down.
StepLatency latency(Op op, const Communicator& group, const Interconnect& interconnect)
{
    using Way = StepLatency::Way;
    const CollectiveLaw& law = interconnect.law;
    // To a rank on each node, and to those of its own.
    const int members = group.isForwarded() ? group.nodes() + group.per_node - 1 : group.members;
    const Seconds slower = std::max(Seconds{0.0}, interconnect.inter_latency - measured_inter_latency);
    const Seconds slower_inside = std::max(Seconds{0.0}, interconnect.intra_latency - measured_intra_latency);
    if (op != Op::all_reduce)
        return {Way::ring,
                microseconds(law.ring_base_us) + slower_inside,
                microseconds(law.ring_step_us),
                members - 1.0,
                slower,
                group.nodes() - 1.0};
    const int steps = 2 * (std::min(group.per_node, most_ring_members) - 1);
    const StepLatency inside{
        Way::ring, interconnect.intra_latency, microseconds(law.all_reduce_step_us), double(steps), {}, 0.0};
    if (group.nodes() == 1)
        return inside;
    // Switches that add up are one tree: once up and down, of however many nodes.
    const double doublings = interconnect.in_network_reduction ? 1.0 : std::log2(group.nodes());
    const StepLatency between{Way::tree, {},     microseconds(law.all_reduce_doubling_us),
                              doublings, slower, 2.0 * doublings};
    return inside.total() > between.total() ? inside : between;
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

bool reducesBySwitch(Op op, const Communicator& group, const Interconnect& interconnect)
{
    return op == Op::all_reduce && interconnect.law.switch_reduce_efficiency > 0.0
           && interconnect.mesh_peers == 0 && group.per_node > 1;
}

// Of a switch that adds up. It takes S from each of the g members, each of which then gives its part of the
// sum, S/g, to all.
BytesPerSecond switchBandwidth(const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const double g = group.per_node;
    const double by_link = law.switch_link_efficiency * (2.0 * (g - 1.0) / g) / (1.0 + 1.0 / g);
    return interconnect.intra * std::min(law.switch_reduce_efficiency, by_link);
}

// Of what sentOnRing() sends inside a node. NCCL takes the switch where it is faster than the ring.
void setInside(Op op, const Communicator& group, const Interconnect& interconnect, CollectiveCost& cost)
{
    cost.inside = linksAmong(group.per_node, interconnect) * interconnect.law.intra_efficiency;
    if (!reducesBySwitch(op, group, interconnect))
        return;
    const BytesPerSecond by_switch = switchBandwidth(group, interconnect);
    cost.by_switch = by_switch > cost.inside;
    cost.inside = std::max(cost.inside, by_switch);
}

// Of what takes that share of a pod's network on its way out.
double slowdownOf(double pod_share, const Interconnect& interconnect)
{
    return std::max(1.0, pod_share * interconnect.oversubscription);
}

// Of a node, or of the way out of its pod, where that is narrower.
BytesPerSecond networkBandwidth(Op op, const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const double derate = 1.0 + lossPerDoubling(op, group, interconnect) * std::log2(group.nodes());
    const BytesPerSecond part = interconnect.network / std::max(1, group.siblings);
    const double adapters = adaptersTaken(op, group, law);
    const BytesPerSecond of_node =
        std::min(part, interconnect.adapter * adapters) * (law.inter_efficiency / derate);
    return std::min(of_node, part * (law.inter_efficiency / podSlowdown(op, group, interconnect)));
}

// Each of the group's ranks in a node sends what is meant for other nodes through the node's network.
void setBytesToAll(Bytes message, const Communicator& group, CollectiveCost& cost)
{
    cost.inside_bytes = message * ((group.per_node - 1.0) / group.members);
    if (group.nodes() == 1)
        return;
    const double senders = adaptersOf(group);
    if (group.isForwarded()) {
        cost.inside_bytes = message * ((group.per_node - 1.0) / group.per_node);
        cost.network_bytes = message * (group.forwarded * (1.0 - 1.0 / group.nodes()) * senders);
        return;
    }
    cost.network_bytes = message * (1.0 - senders / group.members) * senders;
}

// Rings send the same share over every link. Switches of the network that add up take each node's sum once:
// inside the nodes the ring remains.
void setRingBytes(Op op, Bytes message, const Communicator& group, const Interconnect& interconnect,
                  CollectiveCost& cost)
{
    const bool adds_up = op == Op::all_reduce && interconnect.in_network_reduction && group.nodes() > 1;
    cost.inside_bytes = sentOnRing(op, message, adds_up ? group.per_node : group.members);
    if (group.nodes() == 1)
        return;
    cost.network_bytes = adds_up ? message : cost.inside_bytes;
    const std::optional<Bytes> by_trees = op == Op::all_reduce && interconnect.few_node_trees
                                              ? treeBytes(message, group.nodes())
                                              : std::nullopt;
    cost.by_trees = by_trees && *by_trees < cost.network_bytes;
    if (cost.by_trees)
        cost.network_bytes = *by_trees;
}

} // namespace

double lossPerDoubling(Op op, const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const bool has_switch = law.switch_reduce_efficiency > 0.0 && interconnect.mesh_peers == 0;
    const bool is_derated = has_switch ? reducesBySwitch(op, group, interconnect) : op != Op::all_to_all;
    return is_derated ? law.derate_per_doubling : 0.0;
}

std::optional<Bytes> treeBytes(Bytes message, int nodes)
{
    if (nodes != 2 && nodes != 3)
        return std::nullopt;
    return nodes == 2 ? message : message * 1.5;
}

int adaptersOf(const Communicator& group)
{
    return group.adapters > 0 ? group.adapters : group.fewestOnNode();
}

double adaptersTaken(Op op, const Communicator& group, const CollectiveLaw& law)
{
    const double all = adaptersOf(group);
    const bool is_ring = op != Op::all_to_all;
    return is_ring && law.ring_adapters > 0.0 ? std::min(all, law.ring_adapters) : all;
}

Seconds CollectiveCost::networkTime() const
{
    return network_bytes.value() > 0.0 ? network_bytes / network : Seconds{};
}

Seconds CollectiveCost::time() const
{
    if (blend == 1.0)
        return latency.total() + transfer();
    return Seconds{std::pow(std::pow(latency.total().value(), blend) + std::pow(transfer().value(), blend),
                            1.0 / blend)};
}

CollectiveCost collectiveCost(Op op, Bytes message, const Communicator& group,
                              const Interconnect& interconnect)
{
    assert(group.members > 1 && !isPointToPoint(op));
    CollectiveCost cost;
    cost.latency = latency(op, group, interconnect);
    setInside(op, group, interconnect, cost);
    if (group.nodes() > 1)
        cost.network = networkBandwidth(op, group, interconnect);
    if (op == Op::all_to_all)
        setBytesToAll(message, group, cost);
    else
        setRingBytes(op, message, group, interconnect, cost);
    if (op == Op::all_reduce)
        cost.blend = interconnect.law.blend;
    return cost;
}

Seconds collectiveTime(Op op, Bytes message, const Communicator& group, const Interconnect& interconnect)
{
    assert(group.members >= 1 && group.per_node >= 1 && group.per_node <= group.members);
    if (group.members <= 1 || op == Op::recv)
        return Seconds{0.0};
    if (op == Op::send)
        return sendTime(message, group.nodes() == 1, group.siblings, interconnect, group.pods.share);
    return collectiveCost(op, message, group, interconnect).time();
}

double podSlowdown(Op op, const Communicator& group, const Interconnect& interconnect)
{
    return slowdownOf(op == Op::all_to_all ? group.pods.share_to_all : group.pods.share, interconnect);
}

Seconds sendTime(Bytes message, bool same_node, int sharing, const Interconnect& interconnect,
                 double pod_share)
{
    const CollectiveLaw& law = interconnect.law;
    if (same_node)
        return interconnect.intra_latency + message / (linksAmong(2, interconnect) * law.intra_efficiency);
    const double slowdown = slowdownOf(pod_share, interconnect);
    const BytesPerSecond own = interconnect.network / (std::max(1, sharing) * slowdown);
    const BytesPerSecond part = std::min(own, interconnect.adapter) * law.inter_efficiency;
    return interconnect.inter_latency + message / std::min(part, interconnect.intra);
}

double busBandwidthGBps(Op op, int members, Bytes message, Seconds time)
{
    if (members < 2 || time.value() <= 0.0)
        return 0.0;
    return ringBytes(op, members, message.value()) / time.value() / 1e9;
}

} // namespace shardscope

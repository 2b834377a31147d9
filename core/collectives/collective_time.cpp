#include "core/collectives/collective_time.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double second_per_us = 1e-6;

Seconds latency(Op op, const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    if (op != Op::all_reduce)
        return Seconds{second_per_us * (law.ring_base_us + law.ring_step_us * (group.members - 1))};
    if (group.nodes() > 1)
        return Seconds{second_per_us * law.all_reduce_doubling_us * std::log2(group.nodes())};
    return interconnect.intra_latency
           + Seconds{second_per_us * law.all_reduce_step_us * 2 * (group.per_node - 1)};
}

// Share of the message that one rank sends over its narrowest link.
double sentShare(Op op, const Communicator& group, const Interconnect& interconnect)
{
    const double others = static_cast<double>(group.members - 1) / group.members;
    switch (op) {
    case Op::all_reduce:
        return group.nodes() > 1 && interconnect.in_network_reduction ? 1.0 : 2 * others;
    case Op::all_gather:
    case Op::reduce_scatter:
    case Op::all_to_all:
        return others;
    default:
        return 1.0;
    }
}

// Bandwidth of what sentShare() sends inside a node. A switch that adds up takes S from each of the g
// members, each of which then gives its part of the sum, S/g, to all; NCCL takes it where it is faster than
// the ring.
BytesPerSecond intraBandwidth(Op op, const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const BytesPerSecond ring = interconnect.intra * law.intra_efficiency;
    if (op != Op::all_reduce || law.switch_reduce_efficiency <= 0.0 || group.per_node < 2)
        return ring;
    const double g = group.per_node;
    const double by_link = law.switch_link_efficiency * (2.0 * (g - 1.0) / g) / (1.0 + 1.0 / g);
    return std::max(ring, interconnect.intra * std::min(law.switch_reduce_efficiency, by_link));
}

BytesPerSecond networkBandwidth(const Communicator& group, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    const double derate = 1.0 + law.derate_per_doubling * std::log2(group.nodes());
    const BytesPerSecond part = interconnect.network / std::max(1, group.siblings);
    const int adapters = group.adapters > 0 ? group.adapters : group.per_node;
    return std::min(part, interconnect.adapter * adapters) * (law.inter_efficiency / derate);
}

// Each of the group's ranks in a node sends what is meant for other nodes through the node's network.
Seconds allToAllTransfer(Bytes message, const Communicator& group, const Interconnect& interconnect)
{
    const BytesPerSecond inside = intraBandwidth(Op::all_to_all, group, interconnect);
    const double nodes = group.nodes();
    const double near = (group.per_node - 1.0) / group.members;
    const double far = (nodes - 1) / nodes;
    const Seconds inner = message * near / inside;
    if (group.nodes() == 1)
        return inner;
    const Seconds outer = message * far * group.per_node / networkBandwidth(group, interconnect);
    return std::max(inner, outer);
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
    BytesPerSecond bandwidth = intraBandwidth(op, group, interconnect);
    if (group.nodes() > 1)
        bandwidth = std::min(bandwidth, networkBandwidth(group, interconnect));
    const Seconds transfer = message * sentShare(op, group, interconnect) / bandwidth;
    if (op != Op::all_reduce)
        return steps + transfer;
    const double p = interconnect.law.blend;
    return Seconds{std::pow(std::pow(steps.value(), p) + std::pow(transfer.value(), p), 1.0 / p)};
}

Seconds sendTime(Bytes message, bool same_node, int sharing, const Interconnect& interconnect)
{
    const CollectiveLaw& law = interconnect.law;
    if (same_node)
        return interconnect.intra_latency + message / (interconnect.intra * law.intra_efficiency);
    const BytesPerSecond part =
        std::min(interconnect.network / std::max(1, sharing), interconnect.adapter) * law.inter_efficiency;
    return interconnect.inter_latency + message / std::min(part, interconnect.intra);
}

double busBandwidthGBps(Op op, int members, Bytes message, Seconds time)
{
    if (members < 2 || time.value() <= 0.0)
        return 0.0;
    const double others = static_cast<double>(members - 1) / members;
    double factor = 1.0;
    if (op == Op::all_reduce)
        factor = 2 * others;
    else if (op == Op::all_gather || op == Op::reduce_scatter || op == Op::all_to_all)
        factor = others;
    return factor * (message / time).value() / 1e9;
}

} // namespace shardscope

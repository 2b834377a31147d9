#include "core/prediction/traffic/busiest_links.h"

#include "core/prediction/time/machine.h"
#include "core/prediction/time/stage_communication.h"
#include "core/scenario/link_owners.h"
#include "core/scenario/node_wiring.h"

#include <algorithm>
#include <set>

namespace shardscope
{

namespace
{

// Values of a digit at which a family begins or ends, and their neighbours: between them nothing changes from
// one value to the next.
std::set<std::int64_t> turningValues(const TrafficFamilies& families, std::size_t place, std::int64_t margin)
{
    const RankDigit& digit = families.digits()[place];
    std::set<std::int64_t> values;
    const auto addAround = [&](std::int64_t value) {
        for (std::int64_t v = value - margin; v <= value + margin; ++v)
            values.insert((v % digit.size + digit.size) % digit.size);
    };
    addAround(0);
    for (const TrafficFamily& family : families.of(std::nullopt)) {
        addAround(family.box[place].begin);
        addAround(family.box[place].end);
        if (static_cast<std::int64_t>(values.size()) == digit.size)
            break;
    }
    return values;
}

// First ranks of units (GPUs or pods) among which the busiest one is; empty: look at all.
std::set<std::int64_t> candidates(const TrafficFamilies& families, std::int64_t unit, std::int64_t node)
{
    constexpr std::int64_t few = 4096;
    const RankDigits& digits = families.digits();
    if (families.worldSize() / unit <= few)
        return {};
    std::set<std::int64_t> ranks{0};
    for (std::size_t i = 0; i < digits.count(); ++i) {
        const RankDigit& digit = digits[i];
        const std::int64_t reach = digit.stride * digit.size;
        if (reach % node != 0 && node % reach != 0)
            return {}; // nodes lie across the digits
        const std::int64_t margin = node > digit.stride ? node / digit.stride + 1 : 1;
        std::set<std::int64_t> more;
        for (const std::int64_t value : turningValues(families, i, margin))
            for (const std::int64_t rank : ranks)
                more.insert((rank + value * digit.stride) / unit * unit);
        if (static_cast<std::int64_t>(more.size()) > families.worldSize() / unit / 2)
            return {};
        ranks.swap(more);
    }
    return ranks;
}

// First ranks of the nodes, or pods, among which the busiest one is; with `unit` 1 it is that of a GPU.
std::set<std::int64_t> candidateBlocks(const TrafficFamilies& families, std::int64_t unit, std::int64_t block)
{
    std::set<std::int64_t> blocks;
    for (const std::int64_t rank : candidates(families, unit, block))
        blocks.insert(rank / block * block);
    if (blocks.empty())
        for (std::int64_t first = 0; first < families.worldSize(); first += block)
            blocks.insert(first);
    return blocks;
}

double oneWay(const LinkLoad& load)
{
    return std::max(load.sent_bytes, load.received_bytes);
}

// Sums that differ by less differ by the order in which they were added up.
constexpr double rounding = 1e-12;

bool isMore(double bytes, double most)
{
    return bytes > most * (1.0 + rounding);
}

void takeCard(std::int64_t first, const LinkLoad& load, BusiestLinks& busiest)
{
    if (first > 0 && !isMore(oneWay(load), oneWay(busiest.card)))
        return;
    busiest.card_first_rank = first;
    busiest.card = load;
}

void takePod(std::int64_t first, const LinkLoad& load, BusiestLinks& busiest)
{
    if (first > 0 && !isMore(oneWay(load), oneWay(busiest.pod)))
        return;
    busiest.pod_first_rank = first;
    busiest.pod = load;
}

void takeDomain(std::int64_t domain, double bytes, BusiestLinks& busiest)
{
    if (!isMore(bytes, busiest.domain_bytes))
        return;
    busiest.domain = domain;
    busiest.domain_bytes = bytes;
}

void takeGpu(std::int64_t rank, const LinkLoad& load, InnerLink& inner)
{
    const double most = std::max(load.inside_bytes, load.inside_received_bytes);
    if (isMore(most, inner.bytes))
        inner = {rank, -1, most, isMore(load.inside_received_bytes, load.inside_bytes)};
}

void takePairs(const NodeLoads& node, InnerLink& inner)
{
    const auto rank = [&](std::size_t place) { return node.firstRank() + static_cast<std::int64_t>(place); };
    for (std::size_t i = 0; i < node.loads().size(); ++i)
        for (std::size_t j = 0; j < node.loads().size(); ++j)
            if (isMore(node.between(i, j), inner.bytes))
                inner = {rank(i), rank(j), node.between(i, j), false};
}

LinkLoad sumOf(std::span<const LinkLoad> loads)
{
    LinkLoad sum;
    for (const LinkLoad& load : loads)
        sum += load;
    return sum;
}

void takeNode(const NodeLoads& node, const NodeShape& shape, BusiestLinks& busiest)
{
    const std::span<const LinkLoad> loads = node.loads();
    const auto card = static_cast<std::size_t>(busiest.ranks_per_card);
    for (std::size_t first = 0; first < loads.size(); first += card)
        takeCard(node.firstRank() + static_cast<std::int64_t>(first),
                 sumOf(loads.subspan(first, std::min(card, loads.size() - first))), busiest);
    takeDomain(node.firstRank() / shape.gpus, sumOf(loads).inside_bytes, busiest);
    if (shape.is_mesh)
        return takePairs(node, busiest.inner);
    for (std::size_t i = 0; i < loads.size(); ++i)
        takeGpu(node.firstRank() + static_cast<std::int64_t>(i), loads[i], busiest.inner);
}

BusiestLinks nothingOn(const NodeShape& shape)
{
    BusiestLinks busiest;
    busiest.ranks_per_card = std::clamp<std::int64_t>(shape.ranks_per_card, 1, shape.gpus);
    busiest.pod_ranks = shape.pod_gpus;
    return busiest;
}

void takeMeans(const NodeSplit& all, std::int64_t world, const NodeShape& shape, BusiestLinks& busiest)
{
    const auto units = [world](std::int64_t unit) { return static_cast<double>((world + unit - 1) / unit); };
    busiest.mean_card_bytes = all.inter_node_bytes / units(busiest.ranks_per_card);
    busiest.mean_domain_bytes = all.intra_node_bytes / units(shape.gpus);
}

} // namespace

NodeShape nodeShape(const Scenario& scenario)
{
    const Machine machine{scenario.cluster};
    const std::int64_t world = scenario.worldSize();
    NodeShape shape{machine.domainOf(world), ranksPerCard(scenario.cluster), meshPeers(scenario.cluster) > 0};
    shape.pod_gpus = machine.podRanks(world);
    for (std::size_t kind = 0; kind < shape.ring_adapters.size(); ++kind)
        shape.ring_adapters[kind] = ringAdapters(scenario, static_cast<Kind>(kind));
    return shape;
}

BusiestLinks busiestLinks(const TrafficFamilies& families, const NodeShape& shape)
{
    const std::int64_t node = shape.gpus;
    BusiestLinks busiest = nothingOn(shape);
    const std::set<std::int64_t> blocks = candidateBlocks(families, 1, node);
    const LoadsOfKinds counted = loadsOfManyFamilies(families, std::ssize(blocks) * node, node);
    for (const std::int64_t first : blocks)
        takeNode(nodeLoads(families, first, node, shape.is_mesh, shape.ring_adapters, counted), shape,
                 busiest);
    if (const std::int64_t pod = shape.pod_gpus; pod > 0)
        for (const std::int64_t first : candidateBlocks(families, pod, pod))
            takePod(first, linkLoad(families, first, pod, pod), busiest);
    NodeSplit all;
    for (const NodeSplit& split : nodeSplits(families, node)) {
        all.intra_node_bytes += split.intra_node_bytes;
        all.inter_node_bytes += split.inter_node_bytes;
    }
    takeMeans(all, families.worldSize(), shape, busiest);
    return busiest;
}

std::int64_t busiestLinksCost(const TrafficFamilies& families)
{
    return loadsCost(families, families.worldSize());
}

BusiestLinks busiestLinks(std::span<const CellsOfKind> kinds, std::int64_t world, const NodeShape& shape,
                          const RankLayout* layout)
{
    BusiestLinks busiest = nothingOn(shape);
    NodeSplit all;
    for (const NodeLoads& node :
         nodeLoads(kinds, world, shape.gpus, shape.is_mesh, shape.ring_adapters, layout)) {
        takeNode(node, shape, busiest);
        const LinkLoad load = sumOf(node.loads());
        all.intra_node_bytes += load.inside_bytes;
        all.inter_node_bytes += load.sent_bytes;
    }
    if (const std::int64_t pod = shape.pod_gpus; pod > 0)
        for (const NodeLoads& of_pod : nodeLoads(kinds, world, pod, false, {}, layout))
            takePod(of_pod.firstRank(), sumOf(of_pod.loads()), busiest);
    takeMeans(all, world, shape, busiest);
    return busiest;
}

std::vector<LinkUse> linkUses(const BusiestLinks& links, const Cluster& cluster)
{
    std::vector<LinkUse> uses;
    if (const double bytes = oneWay(links.card); bytes > 0.0)
        uses.push_back(
            {false, false, isMore(links.card.received_bytes, links.card.sent_bytes), links.card_first_rank,
             links.ranks_per_card, -1, bytes,
             perGpu_GBps(cluster.inter_node, cluster) * static_cast<double>(links.ranks_per_card)});
    const InnerLink& inner = links.inner;
    if (inner.bytes > 0.0)
        uses.push_back({true, false, inner.is_received, inner.rank, 1, inner.peer, inner.bytes,
                        perGpu_GBps(cluster.intra_node, cluster)
                            / (inner.peer >= 0 ? std::max(1, meshPeers(cluster)) : 1)});
    if (const double bytes = oneWay(links.pod); bytes > 0.0)
        uses.push_back({false, true, isMore(links.pod.received_bytes, links.pod.sent_bytes),
                        links.pod_first_rank, links.pod_ranks, -1, bytes,
                        perGpu_GBps(cluster.inter_node, cluster) * static_cast<double>(links.pod_ranks)
                            / cluster.oversubscription});
    return uses;
}

bool mayReduceOnTheWay(const Scenario& scenario)
{
    const Cluster& cluster = scenario.cluster;
    return cluster.in_network_reduction || cluster.few_node_trees
           || cluster.collectives.switch_reduce_efficiency > 0.0;
}

} // namespace shardscope

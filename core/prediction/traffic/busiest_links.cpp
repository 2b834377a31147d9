#include "core/prediction/traffic/busiest_links.h"

#include "core/prediction/time/machine.h"
#include "core/scenario/link_owners.h"
#include "core/scenario/node_wiring.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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

// First ranks of units (cards or nodes) among which the busiest one is, in rank order; empty: look at all.
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

// Sums that differ by less differ by the order in which they were added up.
constexpr double rounding = 1e-12;

template<class Visitor>
void forEachCandidate(const TrafficFamilies& families, std::int64_t unit, std::int64_t node, Visitor visit)
{
    const std::set<std::int64_t> some = candidates(families, unit, node);
    for (const std::int64_t first : some)
        visit(first, linkLoad(families, first, unit, node));
    if (some.empty())
        for (std::int64_t first = 0; first < families.worldSize(); first += unit)
            visit(first, linkLoad(families, first, unit, node));
}

double oneWay(const LinkLoad& load)
{
    return std::max(load.sent_bytes, load.received_bytes);
}

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

std::int64_t firstSenderInside(const TrafficFamily& family, std::int64_t node)
{
    for (std::int64_t rank = family.senders.first(); rank <= family.senders.last(); ++rank)
        if (rank / node == (rank + family.delta) / node && family.senders.count(rank, rank + 1) > 0)
            return rank;
    return family.senders.first();
}

InnerLink busiestPair(const TrafficFamilies& families, std::int64_t node)
{
    InnerLink inner;
    const TrafficFamily* most = nullptr;
    for (const TrafficFamily& family : families.of(std::nullopt))
        if (isMore(family.bytes, inner.bytes) && family.delta != 0
            && cellsInsideNodes(family, node, families.worldSize()) > 0) {
            most = &family;
            inner.bytes = family.bytes;
        }
    if (most != nullptr) {
        inner.rank = firstSenderInside(*most, node);
        inner.peer = inner.rank + most->delta;
    }
    return inner;
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

// What each rank alone has on its links.
std::vector<LinkLoad> loadsOf(std::span<const TrafficCell> cells, std::int64_t world, std::int64_t node)
{
    std::vector<LinkLoad> loads(static_cast<std::size_t>(world));
    for (const TrafficCell& cell : cells) {
        LinkLoad& sender = loads[static_cast<std::size_t>(cell.sender)];
        LinkLoad& receiver = loads[static_cast<std::size_t>(cell.receiver)];
        const bool is_inside = cell.sender / node == cell.receiver / node;
        (is_inside ? sender.inside_bytes : sender.sent_bytes) += cell.bytes;
        (is_inside ? receiver.inside_received_bytes : receiver.received_bytes) += cell.bytes;
    }
    return loads;
}

LinkLoad sumOf(std::span<const LinkLoad> loads)
{
    LinkLoad sum;
    for (const LinkLoad& load : loads) {
        sum.sent_bytes += load.sent_bytes;
        sum.received_bytes += load.received_bytes;
        sum.inside_bytes += load.inside_bytes;
        sum.inside_received_bytes += load.inside_received_bytes;
    }
    return sum;
}

template<class Visitor>
void forEachUnit(std::span<const LinkLoad> loads, std::int64_t unit, Visitor visit)
{
    const auto size = static_cast<std::size_t>(unit);
    for (std::size_t first = 0; first < loads.size(); first += size)
        visit(static_cast<std::int64_t>(first),
              sumOf(loads.subspan(first, std::min(size, loads.size() - first))));
}

InnerLink busiestPair(std::span<const TrafficCell> cells, std::int64_t node)
{
    std::map<std::pair<std::int64_t, std::int64_t>, double> pairs;
    for (const TrafficCell& cell : cells)
        if (cell.sender != cell.receiver && cell.sender / node == cell.receiver / node)
            pairs[{cell.sender, cell.receiver}] += cell.bytes;
    InnerLink inner;
    for (const auto& [ends, bytes] : pairs)
        if (isMore(bytes, inner.bytes))
            inner = {ends.first, ends.second, bytes, false};
    return inner;
}

} // namespace

NodeShape nodeShape(const Scenario& scenario)
{
    const Machine machine{scenario.cluster};
    const std::int64_t world = scenario.worldSize();
    NodeShape shape{machine.domainOf(world), ranksPerCard(scenario.cluster), meshPeers(scenario.cluster) > 0};
    shape.pod_gpus = machine.podRanks(world);
    return shape;
}

BusiestLinks busiestLinks(const TrafficFamilies& families, const NodeShape& shape)
{
    const std::int64_t node = shape.gpus;
    BusiestLinks busiest = nothingOn(shape);
    const bool are_shared = busiest.ranks_per_card > 1;
    if (!are_shared || !shape.is_mesh)
        forEachCandidate(families, 1, node, [&](std::int64_t rank, const LinkLoad& load) {
            if (!are_shared)
                takeCard(rank, load, busiest);
            if (!shape.is_mesh)
                takeGpu(rank, load, busiest.inner);
        });
    if (are_shared)
        forEachCandidate(families, busiest.ranks_per_card, node,
                         [&](std::int64_t first, const LinkLoad& load) { takeCard(first, load, busiest); });
    if (shape.is_mesh)
        busiest.inner = busiestPair(families, node);
    forEachCandidate(families, node, node, [&](std::int64_t first, const LinkLoad& load) {
        takeDomain(first / node, load.inside_bytes, busiest);
    });
    if (const std::int64_t pod = shape.pod_gpus; pod > 0)
        forEachCandidate(families, pod, pod,
                         [&](std::int64_t first, const LinkLoad& load) { takePod(first, load, busiest); });
    NodeSplit all;
    for (const NodeSplit& split : nodeSplits(families, node)) {
        all.intra_node_bytes += split.intra_node_bytes;
        all.inter_node_bytes += split.inter_node_bytes;
    }
    takeMeans(all, families.worldSize(), shape, busiest);
    return busiest;
}

std::int64_t busiestLinksCost(const TrafficFamilies& families, const NodeShape& shape)
{
    const std::int64_t cards = families.worldSize() / std::max<std::int64_t>(1, shape.ranks_per_card);
    const std::int64_t gpus = shape.is_mesh ? 0 : families.worldSize();
    return std::max(cards, gpus) * static_cast<std::int64_t>(families.of(std::nullopt).size());
}

BusiestLinks busiestLinks(std::span<const TrafficCell> cells, std::int64_t world, const NodeShape& shape)
{
    const std::int64_t node = shape.gpus;
    BusiestLinks busiest = nothingOn(shape);
    const std::vector<LinkLoad> loads = loadsOf(cells, world, node);
    forEachUnit(loads, busiest.ranks_per_card,
                [&](std::int64_t first, const LinkLoad& load) { takeCard(first, load, busiest); });
    forEachUnit(loads, node, [&](std::int64_t first, const LinkLoad& load) {
        takeDomain(first / node, load.inside_bytes, busiest);
    });
    if (shape.is_mesh)
        busiest.inner = busiestPair(cells, node);
    else
        forEachUnit(loads, 1,
                    [&](std::int64_t rank, const LinkLoad& load) { takeGpu(rank, load, busiest.inner); });
    if (shape.pod_gpus > 0)
        forEachUnit(loadsOf(cells, world, shape.pod_gpus), shape.pod_gpus,
                    [&](std::int64_t first, const LinkLoad& load) { takePod(first, load, busiest); });
    const LinkLoad all = sumOf(loads);
    takeMeans({all.inside_bytes, all.sent_bytes}, world, shape, busiest);
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

#include "core/prediction/traffic/link_totals.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace shardscope
{

namespace
{

// Cells whose receiver is in the node of the sender.
std::int64_t cellsInsideNodes(const TrafficFamily& family, std::int64_t node, std::int64_t world)
{
    const std::int64_t reach = std::abs(family.delta);
    if (reach >= node)
        return 0;
    const RankSet& senders = family.senders;
    std::int64_t crossing = 0;
    const std::int64_t first_border = senders.first() / node;
    const std::int64_t borders = senders.last() / node - first_border + 2;
    if (borders <= node) {
        // The last ones before a border cross it, or with a negative delta the first ones behind it.
        for (std::int64_t i = 0; i < borders; ++i) {
            const std::int64_t border = (first_border + i) * node;
            if (border > 0 && border < world)
                crossing += family.delta > 0 ? senders.count(border - reach, border)
                                             : senders.count(border, border + reach);
        }
        return senders.size() - crossing;
    }
    const std::vector<std::int64_t> counts = senders.countByRemainder(node);
    for (std::int64_t place = 0; place < node; ++place)
        if (place + family.delta >= node || place + family.delta < 0)
            crossing += counts[static_cast<std::size_t>(place)];
    return senders.size() - crossing;
}

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

} // namespace

std::array<NodeSplit, kind_count> nodeSplits(const TrafficFamilies& families, std::int64_t gpus_per_node)
{
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    std::array<NodeSplit, kind_count> splits{};
    for (const Kind kind : families.kinds())
        for (const TrafficFamily& family : families.of(kind)) {
            NodeSplit& split = splits[static_cast<std::size_t>(kind)];
            const std::int64_t inside = cellsInsideNodes(family, node, families.worldSize());
            split.intra_node_bytes += family.bytes * static_cast<double>(inside);
            split.inter_node_bytes += family.bytes * static_cast<double>(family.senders.size() - inside);
        }
    return splits;
}

LinkLoad linkLoad(const TrafficFamilies& families, std::int64_t first_rank, std::int64_t ranks,
                  std::int64_t gpus_per_node)
{
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    const std::int64_t node_begin = first_rank / node * node;
    const std::int64_t node_end = node_begin + node;
    const std::int64_t last_rank = std::min(first_rank + ranks, node_end);
    LinkLoad load;
    for (const TrafficFamily& family : families.of(std::nullopt)) {
        const RankSet& senders = family.senders;
        // Of these ranks' cells those whose other end lies in the node too.
        const std::int64_t kept = senders.count(std::max(first_rank, node_begin - family.delta),
                                                std::min(last_rank, node_end - family.delta));
        const std::int64_t sent = senders.count(first_rank, last_rank) - kept;
        const std::int64_t received = senders.count(first_rank - family.delta, last_rank - family.delta)
                                      - senders.count(std::max(first_rank - family.delta, node_begin),
                                                      std::min(last_rank - family.delta, node_end));
        load.inside_bytes += family.bytes * static_cast<double>(kept);
        load.sent_bytes += family.bytes * static_cast<double>(sent);
        load.received_bytes += family.bytes * static_cast<double>(received);
    }
    return load;
}

BusiestLinks busiestLinks(const TrafficFamilies& families, std::int64_t gpus_per_node,
                          std::int64_t ranks_per_card)
{
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    BusiestLinks busiest;
    busiest.ranks_per_card = std::clamp<std::int64_t>(ranks_per_card, 1, node);
    double most = -1.0;
    forEachCandidate(families, busiest.ranks_per_card, node, [&](std::int64_t first, const LinkLoad& load) {
        const double bytes = std::max(load.sent_bytes, load.received_bytes);
        if (bytes > most * (1.0 + rounding)) {
            most = bytes;
            busiest.card_first_rank = first;
            busiest.card = load;
        }
    });
    most = -1.0;
    forEachCandidate(families, node, node, [&](std::int64_t first, const LinkLoad& load) {
        if (load.inside_bytes > most * (1.0 + rounding)) {
            most = load.inside_bytes;
            busiest.domain = first / node;
            busiest.domain_bytes = load.inside_bytes;
        }
    });
    NodeSplit all;
    for (const NodeSplit& split : nodeSplits(families, node)) {
        all.intra_node_bytes += split.intra_node_bytes;
        all.inter_node_bytes += split.inter_node_bytes;
    }
    const auto units = [&](std::int64_t unit) {
        return static_cast<double>((families.worldSize() + unit - 1) / unit);
    };
    busiest.mean_card_bytes = all.inter_node_bytes / units(busiest.ranks_per_card);
    busiest.mean_domain_bytes = all.intra_node_bytes / units(node);
    return busiest;
}

} // namespace shardscope

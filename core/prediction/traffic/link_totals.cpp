#include "core/prediction/traffic/link_totals.h"

#include <algorithm>
#include <cstdlib>

namespace shardscope
{

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

LinkLoad& LinkLoad::operator+=(const LinkLoad& other)
{
    sent_bytes += other.sent_bytes;
    received_bytes += other.received_bytes;
    inside_bytes += other.inside_bytes;
    inside_received_bytes += other.inside_received_bytes;
    return *this;
}

LinkLoad linkLoad(const TrafficFamilies& families, std::int64_t first_rank, std::int64_t ranks,
                  std::int64_t gpus_per_node)
{
    return linkLoad(families.of(std::nullopt), first_rank, ranks, gpus_per_node);
}

LinkLoad linkLoad(std::span<const TrafficFamily> families, std::int64_t first_rank, std::int64_t ranks,
                  std::int64_t gpus_per_node)
{
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    const std::int64_t node_begin = first_rank / node * node;
    const std::int64_t node_end = node_begin + node;
    const std::int64_t last_rank = std::min(first_rank + ranks, node_end);
    LinkLoad load;
    for (const TrafficFamily& family : families) {
        const RankSet& senders = family.senders;
        // Of these ranks' cells those whose other end lies in the node too.
        const std::int64_t kept = senders.count(std::max(first_rank, node_begin - family.delta),
                                                std::min(last_rank, node_end - family.delta));
        const std::int64_t sent = senders.count(first_rank, last_rank) - kept;
        const std::int64_t received = senders.count(first_rank - family.delta, last_rank - family.delta);
        const std::int64_t from_node = senders.count(std::max(first_rank - family.delta, node_begin),
                                                     std::min(last_rank - family.delta, node_end));
        load.inside_bytes += family.bytes * static_cast<double>(kept);
        load.sent_bytes += family.bytes * static_cast<double>(sent);
        load.received_bytes += family.bytes * static_cast<double>(received - from_node);
        load.inside_received_bytes += family.bytes * static_cast<double>(from_node);
    }
    return load;
}

std::vector<LinkLoad> linkLoads(std::span<const TrafficFamily> families, std::int64_t world,
                                std::int64_t gpus_per_node)
{
    const std::int64_t node = std::max<std::int64_t>(1, gpus_per_node);
    std::vector<LinkLoad> loads(static_cast<std::size_t>(world));
    for (const TrafficFamily& family : families)
        family.senders.forEach([&](std::int64_t rank) {
            const std::int64_t peer = rank + family.delta;
            const bool is_inside = rank / node == peer / node;
            LinkLoad& sender = loads[static_cast<std::size_t>(rank)];
            LinkLoad& receiver = loads[static_cast<std::size_t>(peer)];
            (is_inside ? sender.inside_bytes : sender.sent_bytes) += family.bytes;
            (is_inside ? receiver.inside_received_bytes : receiver.received_bytes) += family.bytes;
        });
    return loads;
}

} // namespace shardscope

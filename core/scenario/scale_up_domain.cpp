#include "core/scenario/scale_up_domain.h"

#include "core/scenario/scenario.h"

#include <algorithm>
#include <bit>

namespace shardscope
{

namespace
{

// GPUs of a host. A rack that counts as one node is made of trays.
std::int64_t hostOf(std::int64_t node)
{
    constexpr std::int64_t most_on_a_board = 16; // DGX-2
    constexpr std::int64_t tray = 4; // GB200 and GB300 NVL72: 18 of them; a TPU's host has four chips, too
    return node > most_on_a_board ? tray : node;
}

} // namespace

std::int64_t scaleUpDomain(const Cluster& cluster)
{
    return std::max(cluster.gpus_per_node, cluster.scale_up_gpus);
}

std::int64_t scaleUpDomain(const Cluster& cluster, std::int64_t world)
{
    return filledDomain(scaleUpDomain(cluster), cluster.gpus_per_node, world);
}

std::int64_t ranksOfDomain(const Cluster& cluster, std::int64_t ranks_of_host, std::int64_t ranks)
{
    const std::int64_t host = hostOf(cluster.gpus_per_node);
    if (ranks_of_host > host)
        return std::min(ranks, ranks_of_host);
    // The hosts of the ranks as if each were full: so many of them are in a domain.
    const std::int64_t hosts = (ranks + ranks_of_host - 1) / ranks_of_host;
    return std::min(ranks, ranks_of_host * (scaleUpDomain(cluster, hosts * host) / host));
}

std::int64_t filledDomain(std::int64_t domain, std::int64_t node, std::int64_t world)
{
    const std::int64_t unit = hostOf(node);
    if (domain <= unit || world <= domain)
        return domain;
    const auto even = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(domain)));
    if (world % domain != 0 && world % even == 0 && even % unit == 0)
        return even;
    const auto parts = [](std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; };
    const std::int64_t each = parts(world, parts(world, domain));
    return std::min(domain, parts(each, unit) * unit);
}

} // namespace shardscope

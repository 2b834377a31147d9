#include "core/scenario/scale_up_domain.h"

#include "core/scenario/scenario.h"

#include <algorithm>

namespace shardscope
{

std::int64_t scaleUpDomain(const Cluster& cluster)
{
    return std::max(cluster.gpus_per_node, cluster.scale_up_gpus);
}

std::int64_t scaleUpDomain(const Cluster& cluster, std::int64_t world)
{
    return filledDomain(scaleUpDomain(cluster), cluster.gpus_per_node, world);
}

std::int64_t filledDomain(std::int64_t domain, std::int64_t node, std::int64_t world)
{
    constexpr std::int64_t most_on_a_board = 16; // DGX-2
    constexpr std::int64_t tray = 4; // GB200 and GB300 NVL72: 18 of them; a TPU's host has four chips, too
    const std::int64_t unit = node > most_on_a_board ? tray : node;
    if (domain <= unit || world <= domain)
        return domain;
    const auto parts = [](std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; };
    const std::int64_t each = parts(world, parts(world, domain));
    return std::min(domain, parts(each, unit) * unit);
}

} // namespace shardscope

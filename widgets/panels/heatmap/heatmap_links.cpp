#include "widgets/panels/heatmap/heatmap_links.h"

#include "widgets/session/shown_text.h"

#include <algorithm>

namespace shardscope
{

std::int64_t ranksPerCard(const Cluster& cluster)
{
    return cluster.inter_node.bandwidth_of == BandwidthOf::node
               ? std::max<std::int64_t>(1, cluster.gpus_per_node)
               : 1;
}

std::int64_t linksCost(const TrafficFamilies& families, std::int64_t ranks_per_card)
{
    return families.worldSize() / ranks_per_card
           * static_cast<std::int64_t>(families.of(std::nullopt).size());
}

std::vector<NodeTotalsLine> linkLines(const BusiestLinks& links, const Cluster& cluster)
{
    std::vector<NodeTotalsLine> lines;
    const double most = std::max(links.card.sent_bytes, links.card.received_bytes);
    const std::int64_t node = links.card_first_rank / std::max<std::int64_t>(1, cluster.gpus_per_node);
    if (most > 0.0)
        lines.push_back({{},
                         links.ranks_per_card > 1
                             ? QStringLiteral("NIC of node %1").arg(node)
                             : QStringLiteral("NIC of GPU %1").arg(links.card_first_rank),
                         bytesText(most),
                         bytesText(links.mean_card_bytes),
                         false});
    if (links.domain_bytes > 0.0)
        lines.push_back({{},
                         QStringLiteral("inside node %1").arg(links.domain),
                         bytesText(links.domain_bytes),
                         bytesText(links.mean_domain_bytes),
                         false});
    if (!lines.empty())
        lines.insert(lines.begin(),
                     {{}, QStringLiteral("links"), QStringLiteral("busiest"), QStringLiteral("mean"), true});
    return lines;
}

} // namespace shardscope

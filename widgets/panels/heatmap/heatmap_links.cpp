#include "widgets/panels/heatmap/heatmap_links.h"

#include "widgets/session/shown_text.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Sums that differ by less differ by the order in which they were added up.
constexpr double rounding = 1e-9;

std::int64_t nodeOfCard(const BusiestLinks& links, const Cluster& cluster)
{
    return links.card_first_rank / std::max<std::int64_t>(1, cluster.gpus_per_node);
}

QString cardName(const BusiestLinks& links, const Cluster& cluster)
{
    if (links.ranks_per_card == 1)
        return QStringLiteral("NIC of GPU %1").arg(links.card_first_rank);
    return QStringLiteral("%1 of node %2")
        .arg(cluster.nics_per_node > 1 ? QStringLiteral("NICs") : QStringLiteral("NIC"))
        .arg(nodeOfCard(links, cluster));
}

QString row(const QString& name, const QString& sent, const QString& received)
{
    return QStringLiteral("<tr><td>%1&nbsp;</td><td align='right'>&nbsp;%2</td><td "
                          "align='right'>&nbsp;&nbsp;%3</td></tr>")
        .arg(name, sent, received);
}

QString head(const QString& level)
{
    return row(QStringLiteral("<b>%1</b>").arg(level), QStringLiteral("sent"), QStringLiteral("received"));
}

QString sharers(const BusiestLinks& links, const Cluster& cluster)
{
    if (links.ranks_per_card == 1)
        return {};
    const QString gpus = QStringLiteral("its %1 GPUs").arg(links.ranks_per_card);
    return cluster.nics_per_node > 1
               ? QStringLiteral(" (%1 NICs, shared by %2)").arg(cluster.nics_per_node).arg(gpus)
               : QStringLiteral(" (shared by %1)").arg(gpus);
}

QString countedSentence(const BusiestLinks& links, const LinkedWorld& world)
{
    QString text = QStringLiteral("Predicted, for one iteration, by adding up the cells of the square: a "
                                  "ring sends to its next member, "
                                  "all_to_all straight to its receiver. A node is %1 neighbouring ranks.");
    text = text.arg(world.gpus_per_node);
    if (links.ranks_per_card == 1 && links.card.sent_bytes + links.card.received_bytes > 0.0)
        text += world.cluster.nics_per_node > 0
                    ? QStringLiteral(" Each GPU has a NIC of its own.")
                    : QStringLiteral(" Each GPU is taken to have a NIC of its own; \"NICs per node\" of the "
                                     "cluster tells where it has not.");
    return QStringLiteral("<p>%1</p>").arg(text);
}

} // namespace

std::int64_t linksCost(const TrafficFamilies& families, std::int64_t ranks_per_card)
{
    return families.worldSize() / ranks_per_card
           * static_cast<std::int64_t>(families.of(std::nullopt).size());
}

std::vector<NodeTotalsLine> linkLines(const BusiestLinks& links, const Cluster& cluster)
{
    std::vector<NodeTotalsLine> lines;
    const bool receives = links.card.received_bytes > links.card.sent_bytes * (1.0 + rounding);
    const double most = receives ? links.card.received_bytes : links.card.sent_bytes;
    if (most > 0.0)
        lines.push_back(
            {{},
             cardName(links, cluster) + (receives ? QStringLiteral(", received") : QStringLiteral(", sent")),
             bytesText(most),
             bytesText(links.mean_card_bytes),
             false});
    if (links.domain_bytes > 0.0)
        lines.push_back({{},
                         QStringLiteral("inside node %1, sent").arg(links.domain),
                         bytesText(links.domain_bytes),
                         bytesText(links.mean_domain_bytes),
                         false});
    if (!lines.empty())
        lines.insert(lines.begin(),
                     {{}, QStringLiteral("links"), QStringLiteral("busiest"), QStringLiteral("mean"), true});
    return lines;
}

QString linksTip(const BusiestLinks& links, const LinkedWorld& world)
{
    const Cluster& cluster = world.cluster;
    const auto parts = [&world](std::int64_t ranks) { return (world.ranks + ranks - 1) / ranks; };
    QString rows;
    if (links.card.sent_bytes + links.card.received_bytes > 0.0) {
        const QString mean = bytesText(links.mean_card_bytes);
        const QString whose = links.ranks_per_card == 1 ? QStringLiteral("GPUs") : QStringLiteral("nodes");
        rows += head(QStringLiteral("between nodes, over %1")
                         .arg(cluster.inter_node.kind.empty() ? QStringLiteral("the network")
                                                              : toQString(cluster.inter_node.kind)));
        rows +=
            row(QStringLiteral("%1, the busiest%2").arg(cardName(links, cluster), sharers(links, cluster)),
                bytesText(links.card.sent_bytes), bytesText(links.card.received_bytes));
        rows += row(QStringLiteral("mean of %1 %2").arg(parts(links.ranks_per_card)).arg(whose), mean, mean);
    }
    if (links.domain_bytes > 0.0) {
        const QString most = bytesText(links.domain_bytes);
        const QString mean = bytesText(links.mean_domain_bytes);
        rows += head(QStringLiteral("within a node, over %1")
                         .arg(cluster.intra_node.kind.empty() ? QStringLiteral("its links")
                                                              : toQString(cluster.intra_node.kind)));
        rows +=
            row(QStringLiteral("GPUs of node %1 to each other, the busiest").arg(links.domain), most, most);
        rows += row(QStringLiteral("mean of %1 nodes").arg(parts(world.gpus_per_node)), mean, mean);
    }
    return rows.isEmpty() ? rows
                          : QStringLiteral("<table>%1</table>").arg(rows) + countedSentence(links, world);
}

} // namespace shardscope

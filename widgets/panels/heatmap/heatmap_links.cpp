#include "widgets/panels/heatmap/heatmap_links.h"

#include "widgets/session/shown_text.h"

#include "core/report/link_report.h"

#include <algorithm>

namespace shardscope
{

namespace
{

QString kindOr(const std::string& kind, const char* otherwise)
{
    return kind.empty() ? QString::fromUtf8(otherwise) : toQString(kind);
}

// The use of the card; null: it has none.
const LinkUse* useOfCard(const std::vector<LinkUse>& uses)
{
    const auto found =
        std::ranges::find_if(uses, [](const LinkUse& use) { return !use.is_inside && !use.is_between_pods; });
    return found == uses.end() ? nullptr : &*found;
}

QString nameOf(const LinkUse& use, const LinkedWorld& world)
{
    return toQString(linkName(use, world.scenario));
}

// Whose bandwidth it is, not which of them: in a node that is one GPU's, where bytes are the whole node's.
QString shortName(const LinkUse& use, const Cluster& cluster)
{
    if (use.peer >= 0)
        return QStringLiteral("GPU to GPU");
    if (use.is_between_pods)
        return QStringLiteral("between pods");
    if (use.is_inside)
        return QStringLiteral("a GPU's %1").arg(kindOr(cluster.intra_node.kind, "link"));
    return use.ranks > 1 && cluster.nics_per_node > 1 ? QStringLiteral("NICs") : QStringLiteral("NIC");
}

QString row(const QStringList& cells)
{
    QString text = QStringLiteral("<tr><td>%1&nbsp;</td>").arg(cells.front());
    for (qsizetype i = 1; i < cells.size(); ++i)
        text += QStringLiteral("<td align='right'>&nbsp;&nbsp;%1</td>").arg(cells[i]);
    return text + QStringLiteral("</tr>");
}

QString head(const QString& level)
{
    return row({QStringLiteral("<b>%1</b>").arg(level), QStringLiteral("sent"), QStringLiteral("received")});
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

QString iterationWord(const LinkedWorld& world)
{
    return world.is_whole_run ? QStringLiteral("of the run") : QStringLiteral("of iteration");
}

QString shareText(const LinkUse& use, const LinkedWorld& world)
{
    const std::string share = shareOfIteration(use.busy_s(), world.iteration_s);
    return share.empty() ? QStringLiteral("–") : toQString(share);
}

// What was not recorded makes no mean.
QString meanText(double bytes, const LinkedWorld& world)
{
    return world.knows_all ? bytesText(bytes) : QStringLiteral("–");
}

QString countedText(const BusiestLinks& links, const LinkedWorld& world)
{
    QString text =
        world.is_measured
            ? QStringLiteral("Measured, by adding up the cells of the square%1; nodes and bandwidths are the "
                             "scenario's.")
                  .arg(world.knows_all ? QString{} : QStringLiteral(", as far as ranks were recorded"))
            : QStringLiteral("Predicted, for one iteration, by adding up the cells of the square: a ring "
                             "sends to its next member, all_to_all straight to its receiver.");
    text += QStringLiteral(
        " Of a collective there are as many rings as the group has members in a node, and each "
        "leaves it by the NIC of another one: what the square shows at one rank, they share.");
    text += QStringLiteral(" A node is %1 neighbouring ranks.").arg(nodeShape(world.scenario).gpus);
    if (links.ranks_per_card == 1 && links.card.sent_bytes + links.card.received_bytes > 0.0)
        text += world.scenario.cluster.nics_per_node > 0
                    ? QStringLiteral(" Each GPU has a NIC of its own.")
                    : QStringLiteral(" Each GPU is taken to have a NIC of its own; \"NICs per node\" of the "
                                     "cluster tells where it has not.");
    text += QStringLiteral(" A link is busy at least as long as its bytes take at its full rate: collectives "
                           "reach less of it.");
    std::vector<std::string> remarks{reductionRemark(world.scenario)};
    if (!world.is_measured)
        remarks.push_back(
            crowdedRemark(linkUses(links, world.scenario.cluster), world.scenario, world.iteration_s));
    for (const std::string& remark : remarks)
        if (!remark.empty())
            text += QLatin1Char{' '} + toQString(remark);
    return QStringLiteral("<p>%1</p>").arg(text);
}

QString cardRows(const BusiestLinks& links, const LinkUse& use, const LinkedWorld& world)
{
    const Cluster& cluster = world.scenario.cluster;
    const QString mean = meanText(links.mean_card_bytes, world);
    const QString whose = links.ranks_per_card == 1 ? QStringLiteral("GPUs") : QStringLiteral("nodes");
    const std::int64_t parts = (world.ranks + links.ranks_per_card - 1) / links.ranks_per_card;
    return head(QStringLiteral("between nodes, over %1").arg(kindOr(cluster.inter_node.kind, "the network")))
           + row({QStringLiteral("%1, the busiest%2").arg(nameOf(use, world), sharers(links, cluster)),
                  bytesText(links.card.sent_bytes), bytesText(links.card.received_bytes)})
           + row({QStringLiteral("mean of %1 %2").arg(parts).arg(whose), mean, mean});
}

QString domainRows(const BusiestLinks& links, const LinkedWorld& world)
{
    const QString most = bytesText(links.domain_bytes);
    const QString mean = meanText(links.mean_domain_bytes, world);
    const std::int64_t node = nodeShape(world.scenario).gpus;
    return head(QStringLiteral("within a node, over %1")
                    .arg(kindOr(world.scenario.cluster.intra_node.kind, "its links")))
           + row({QStringLiteral("GPUs of node %1 to each other, the busiest").arg(links.domain), most, most})
           + row({QStringLiteral("mean of %1 nodes").arg((world.ranks + node - 1) / node), mean, mean});
}

// One way, with the rate of the link.
QString busyTable(const std::vector<LinkUse>& uses, const LinkedWorld& world)
{
    QString rows = row({QStringLiteral("<b>busiest link, one way</b>"), QStringLiteral("bytes"),
                        QStringLiteral("bandwidth"), QStringLiteral("busy at least"), iterationWord(world)});
    for (const LinkUse& use : uses)
        rows += row({nameOf(use, world) + toQString(directionWord(use)), bytesText(use.bytes),
                     toQString(rateText(use.GBps)), secondsText(use.busy_s()), shareText(use, world)});
    return QStringLiteral("<table>%1</table>").arg(rows);
}

} // namespace

std::vector<NodeTotalsLine> linkLines(const BusiestLinks& links, const LinkedWorld& world)
{
    const std::vector<LinkUse> uses = linkUses(links, world.scenario.cluster);
    std::vector<NodeTotalsLine> lines;
    if (const LinkUse* card = useOfCard(uses))
        lines.push_back({{},
                         nameOf(*card, world) + toQString(directionWord(*card)),
                         bytesText(card->bytes),
                         meanText(links.mean_card_bytes, world),
                         false});
    if (links.domain_bytes > 0.0)
        lines.push_back({{},
                         QStringLiteral("inside node %1, sent").arg(links.domain),
                         bytesText(links.domain_bytes),
                         meanText(links.mean_domain_bytes, world),
                         false});
    if (!lines.empty())
        lines.insert(lines.begin(),
                     {{}, QStringLiteral("links"), QStringLiteral("busiest"), QStringLiteral("mean"), true});
    return lines;
}

std::vector<NodeTotalsLine> busyLines(const BusiestLinks& links, const LinkedWorld& world)
{
    const Cluster& cluster = world.scenario.cluster;
    std::vector<NodeTotalsLine> lines;
    for (const LinkUse& use : linkUses(links, cluster)) {
        lines.push_back({{},
                         QStringLiteral("%1, %2").arg(shortName(use, cluster), toQString(rateText(use.GBps))),
                         secondsText(use.busy_s()),
                         shareText(use, world),
                         false});
    }
    if (!lines.empty())
        lines.insert(lines.begin(), {{}, QStringLiteral("busy at least"), {}, iterationWord(world), true});
    return lines;
}

QString linksTip(const BusiestLinks& links, const LinkedWorld& world)
{
    const std::vector<LinkUse> uses = linkUses(links, world.scenario.cluster);
    QString rows;
    if (const LinkUse* card = useOfCard(uses))
        rows += cardRows(links, *card, world);
    if (links.domain_bytes > 0.0)
        rows += domainRows(links, world);
    return rows.isEmpty() ? rows
                          : QStringLiteral("<table>%1</table>").arg(rows) + busyTable(uses, world)
                                + countedText(links, world);
}

} // namespace shardscope

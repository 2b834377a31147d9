// What a heatmap says in words and numbers: its headline, totals, tips and comma-separated values.

#include "widgets/panels/heatmap_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/selection_steps.h"
#include "widgets/panels/traffic_sources.h"
#include "widgets/plots/theme.h"

#include "core/base/format.h"

#include <cmath>

namespace shardscope
{

namespace
{

QString kindName(Kind kind)
{
    const std::string_view name = word(kind);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString bytesText(double bytes)
{
    return QString::fromStdString(formatBytes(bytes));
}

} // namespace

std::vector<NodeTotalsLine> HeatmapPanel::totals(const std::optional<Kind>& marked) const
{
    const Theme theme{palette()};
    std::vector<NodeTotalsLine> lines;
    for (int i = 0; i < kind_count; ++i) {
        const Kind kind = static_cast<Kind>(i);
        const double intra = m_summaries.front().intraNode(kind);
        const double inter = m_summaries.front().interNode(kind);
        if (intra != 0.0 || inter != 0.0)
            lines.push_back({theme.colour(kind), kindName(kind), bytesText(intra), bytesText(inter),
                             marked && *marked != kind});
    }
    return lines;
}

QString HeatmapPanel::headline(const std::optional<Kind>& marked) const
{
    const double intra = m_summaries.front().intraNode(marked);
    const double inter = m_summaries.front().interNode(marked);
    const QString whose = marked ? kindName(*marked) : QStringLiteral("One iteration");
    if (showsDifference())
        return intra == 0.0 && inter == 0.0
                   ? QStringLiteral("%1: no difference").arg(whose)
                   : QStringLiteral("%1: %2 more inside nodes, %3 more between nodes")
                         .arg(whose, bytesText(intra), bytesText(inter));
    const double all = intra + inter;
    return QStringLiteral("%1: %2 inside nodes, %3 between nodes (%4)")
        .arg(whose, bytesText(intra), bytesText(inter),
             QString::fromStdString(formatRatio(all > 0.0 ? inter / all : 0.0)));
}

// "tp 1, dp 0, pp 3 · node 2", as far as the open scenario's layout reaches.
QString HeatmapPanel::placeOf(std::int64_t rank) const
{
    QStringList place;
    if (m_predicted && rank < m_predicted->ranks()) {
        const Parallel& parallel = m_content.predicted->scenario.parallel;
        const RankCoordinates at = m_predicted->matrix().layout().coordinates(rank);
        const auto add = [&place](const char* name, int index, std::int64_t size) {
            if (size > 1)
                place << QStringLiteral("%1 %2").arg(QLatin1String{name}).arg(index);
        };
        add("tp", at.tp, parallel.tensor);
        add("cp", at.cp, parallel.context);
        add("ep", at.ep, parallel.expert);
        add("dp", at.dp, parallel.data);
        add("pp", at.pp, parallel.pipeline);
    }
    if (gpusPerNode() > 0)
        place << QStringLiteral("node %1").arg(rank / gpusPerNode());
    return place.join(QStringLiteral(", "));
}

QString HeatmapPanel::tip(const HeatmapSpot& spot) const
{
    const HeatmapSquare& square = m_squares[static_cast<std::size_t>(spot.square)];
    HotCell cell{spot.row, spot.column, 0.0};
    QString text = QStringLiteral("<b>%1</b>").arg(square.title);
    if (spot.count > 1) {
        cell = hottest(*square.rows, spot.row, spot.column, spot.count, markedKind(m_selection));
        text += QStringLiteral("<br>the most of ranks %1 to %2 → %3 to %4:")
                    .arg(spot.row)
                    .arg(spot.row + spot.count - 1)
                    .arg(spot.column)
                    .arg(spot.column + spot.count - 1);
    }
    text += QStringLiteral("<br>from rank %1 (%2)<br>to rank %3 (%4)")
                .arg(cell.sender)
                .arg(placeOf(cell.sender))
                .arg(cell.receiver)
                .arg(placeOf(cell.receiver));
    bool sends = false;
    const std::array<double, kind_count> bytes = bytesBetween(*square.rows, cell.sender, cell.receiver);
    for (int i = 0; i < kind_count; ++i) {
        if (bytes[static_cast<std::size_t>(i)] == 0.0)
            continue;
        sends = true;
        text +=
            QStringLiteral("<br>%1: %2 (%3 B)")
                .arg(kindName(static_cast<Kind>(i)), bytesText(bytes[static_cast<std::size_t>(i)]),
                     QString::fromStdString(formatGrouped(std::llround(bytes[static_cast<std::size_t>(i)]))));
    }
    if (!sends)
        text += showsDifference() ? QStringLiteral("<br>no difference") : QStringLiteral("<br>nothing");
    if (gpusPerNode() > 0 && sends)
        text += cell.sender / gpusPerNode() == cell.receiver / gpusPerNode()
                    ? QStringLiteral("<br>inside one node")
                    : QStringLiteral("<br>between nodes");
    return text;
}

QString HeatmapPanel::csv() const
{
    TextTable table{{"square", "kind", "sender", "receiver", "bytes"}};
    const RankWindow& window = m_view->window();
    std::vector<TrafficEntry> entries;
    for (const HeatmapSquare& square : m_squares) {
        const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(window.first_row));
        const auto last = std::min(square.rows->ranks(),
                                   static_cast<std::int64_t>(std::ceil(window.first_row + window.span)));
        for (std::int64_t sender = first; sender < last; ++sender) {
            entries.clear();
            square.rows->appendRow(sender, entries);
            for (const TrafficEntry& entry : entries)
                table.push_back({square.title, kindName(entry.kind), QString::number(sender),
                                 QString::number(entry.receiver), QString::number(entry.bytes, 'g', 15)});
        }
    }
    return csvText(table);
}

} // namespace shardscope

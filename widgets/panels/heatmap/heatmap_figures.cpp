#include "widgets/panels/heatmap/heatmap_links.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/heatmap_texts.h"
#include "widgets/plots/heatmap/heat_ticks.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include <algorithm>

// The scale of the heatmap's colours, and what its squares add up to.

namespace shardscope
{

// One scale for all squares, so that colours can be compared.
HeatSpan HeatmapPanel::spanOf(const std::optional<Kind>& kind) const
{
    const std::size_t index = kind ? static_cast<std::size_t>(*kind) : kind_count;
    double least = 0.0;
    double most = 0.0;
    for (const TrafficSummary& summary : m_summaries) {
        most = std::max(most, summary.most[index]);
        if (summary.least[index] > 0.0)
            least = least > 0.0 ? std::min(least, summary.least[index]) : summary.least[index];
    }
    return isDifference(m_mode) ? HeatSpan{least, most, true, m_scale} : sequentialSpan(least, most, m_scale);
}

std::vector<NodeTotalsLine> HeatmapPanel::totals(const std::optional<Kind>& marked) const
{
    const Theme theme{palette()};
    std::vector<NodeTotalsLine> lines;
    for (int i = 0; i < kind_count; ++i) {
        const Kind kind = static_cast<Kind>(i);
        const double intra = m_summaries.front().intraNode(kind);
        const double inter = m_summaries.front().interNode(kind);
        if (intra != 0.0 || inter != 0.0)
            lines.push_back({theme.colour(kind), nameOf(kind), signedBytes(intra, isDifference(m_mode)),
                             signedBytes(inter, isDifference(m_mode)), marked && *marked != kind});
    }
    return lines;
}

// The tables beside the squares find room in large pictures only, the end of the headline in wide ones.
QString HeatmapPanel::figuresTip(const HeatmapScene& scene) const
{
    QString rows = QStringLiteral("<tr><td></td><td align='right'>&nbsp;within nodes</td>"
                                  "<td align='right'>&nbsp;&nbsp;between nodes</td></tr>");
    for (const NodeTotalsLine& line : scene.totals)
        rows += QStringLiteral("<tr><td>%1&nbsp;</td><td align='right'>&nbsp;%2</td><td align='right'>"
                               "&nbsp;&nbsp;%3</td></tr>")
                    .arg(line.name, line.intra, line.inter);
    QString text = QStringLiteral("<p>%1</p>%2, sent by all ranks:<table>%3</table>")
                       .arg(scene.headline.toHtmlEscaped(), scene.squares.front().title, rows);
    if (!scene.links.empty()) {
        const Scenario& scenario = m_predicted.of()->scenario;
        text += QStringLiteral("<br>")
                + linksTip(*m_links, {scenario.cluster, scenario.worldSize(), gpusPerNode()});
    }
    return text;
}

// The figures are the first square's: a prediction is of one iteration, a run may have many steps.
QString HeatmapPanel::whoseTraffic(const std::optional<Kind>& marked) const
{
    const bool is_measured = m_mode == HeatmapMode::measured || m_mode == HeatmapMode::measured_change;
    QString steps = is_measured ? measuredSteps() : QString{};
    if (marked)
        return steps.isEmpty() ? nameOf(*marked) : QStringLiteral("%1, %2").arg(nameOf(*marked), steps);
    if (steps.isEmpty())
        return QStringLiteral("One iteration");
    steps[0] = steps[0].toUpper();
    return steps;
}

// ", of it 256 MiB between racks"; empty where none are known.
QString HeatmapPanel::betweenRacks(const std::optional<Kind>& marked) const
{
    return m_rack_summary ? QStringLiteral(", of it %1 between racks")
                                .arg(signedBytes(m_rack_summary->interNode(marked), isDifference(m_mode)))
                          : QString{};
}

QString HeatmapPanel::headline(const std::optional<Kind>& marked) const
{
    const double intra = m_summaries.front().intraNode(marked);
    const double inter = m_summaries.front().interNode(marked);
    const QString whose = whoseTraffic(marked);
    if (isDifference(m_mode)) {
        const std::size_t index = marked ? static_cast<std::size_t>(*marked) : kind_count;
        return m_summaries.front().most[index] == 0.0
                   ? QStringLiteral("%1: no difference").arg(whose)
                   : QStringLiteral("%1, in sum: %2 inside nodes, %3 between nodes")
                             .arg(whose, signedBytes(intra, true), signedBytes(inter, true))
                         + betweenRacks(marked);
    }
    const double all = intra + inter;
    return QStringLiteral("%1: %2 inside nodes, %3 between nodes (%4)")
               .arg(whose, signedBytes(intra, false), signedBytes(inter, false),
                    ratioText(all > 0.0 ? inter / all : 0.0))
           + betweenRacks(marked);
}

} // namespace shardscope

#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/heatmap_texts.h"
#include "widgets/plots/heatmap/heat_ticks.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include <QSpinBox>

#include <algorithm>
#include <cmath>

// The scale of the heatmap's colours, and what its squares add up to.

namespace shardscope
{

namespace
{

// What differs by less than that of all differs by the order in which it was added up.
constexpr double rounding_of_all = 1e-9;

double withoutRounding(double change, double of_all)
{
    return std::fabs(change) <= rounding_of_all * of_all ? 0.0 : change;
}

} // namespace

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
        const auto part = [this](double bytes, double of_minuend) {
            return m_minuend ? withoutRounding(bytes, of_minuend) : bytes;
        };
        const TrafficSummary& all = m_minuend ? *m_minuend : m_summaries.front();
        const double intra = part(m_summaries.front().intraNode(kind), all.intraNode(kind));
        const double inter = part(m_summaries.front().interNode(kind), all.interNode(kind));
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
    const bool are_all = scene.squares.front().rows->knowsAll();
    QString text = QStringLiteral("<p>%1</p>%2, sent by %3:<table>%4</table>")
                       .arg(scene.headline.toHtmlEscaped(), scene.squares.front().title,
                            are_all ? QStringLiteral("all ranks") : recordedRanksWord(), rows);
    return text + linksTips();
}

QString HeatmapPanel::recordedRanksWord() const
{
    return !m_measured || m_measured->knowsAll()
               ? QString{}
               : QStringLiteral("%1 of %2 ranks").arg(m_measured->knownSenders()).arg(m_measured->ranks());
}

// The figures are the first square's: a prediction is of one iteration, a run may have many steps.
QString HeatmapPanel::whoseTraffic(const std::optional<Kind>& marked, bool is_short) const
{
    const bool is_measured = m_mode == HeatmapMode::measured || m_mode == HeatmapMode::measured_change;
    const bool is_beside = m_squares.size() > 1;
    const QString steps = is_measured ? measuredSteps() : QString{};
    QStringList words;
    if (is_beside)
        words << m_squares.front().title;
    if (marked)
        words << nameOf(*marked);
    if (!steps.isEmpty())
        words << steps;
    else if (!marked && !(is_beside && is_short))
        words << QStringLiteral("one iteration");
    if (is_measured && !recordedRanksWord().isEmpty())
        words << QStringLiteral("of %1").arg(recordedRanksWord());
    if (!marked)
        words.front()[0] = words.front()[0].toUpper();
    return words.join(QStringLiteral(", "));
}

// ", of it 256 MiB between pods"; empty where none are known.
QString HeatmapPanel::betweenPods(const std::optional<Kind>& marked) const
{
    if (!m_pod_summary)
        return {};
    const double bytes = m_pod_summary->interNode(marked);
    if (m_minuend && withoutRounding(bytes, m_minuend->interNode(marked)) == 0.0)
        return QStringLiteral(", between pods unchanged");
    return QStringLiteral(", of it %1 between pods").arg(signedBytes(bytes, isDifference(m_mode)));
}

// Differences may add up to nothing where cells have moved: what there is in all is told then.
QString HeatmapPanel::changeHeadline(const std::optional<Kind>& marked) const
{
    const QString whose = whoseTraffic(marked, false);
    const double all_intra = m_minuend->intraNode(marked);
    const double all_inter = m_minuend->interNode(marked);
    const double intra = withoutRounding(m_summaries.front().intraNode(marked), all_intra);
    const double inter = withoutRounding(m_summaries.front().interNode(marked), all_inter);
    if (intra == 0.0 && inter == 0.0) {
        const std::size_t index = marked ? static_cast<std::size_t>(*marked) : kind_count;
        return m_summaries.front().most[index] == 0.0
                   ? QStringLiteral("%1: no difference").arg(whose)
                   : QStringLiteral("%1, unchanged in sum: %2 inside nodes, %3 between nodes")
                             .arg(whose, bytesText(all_intra), bytesText(all_inter))
                         + betweenPods(marked);
    }
    const auto part = [](double change, double all) {
        return change == 0.0 && all != 0.0 ? QStringLiteral("unchanged %1").arg(bytesText(all))
                                           : signedBytes(change, true);
    };
    return QStringLiteral("%1, in sum: %2 inside nodes, %3 between nodes")
               .arg(whose, part(intra, all_intra), part(inter, all_inter))
           + betweenPods(marked);
}

QString HeatmapPanel::headline(const std::optional<Kind>& marked, bool is_short) const
{
    if (m_minuend)
        return is_short ? QString{} : changeHeadline(marked);
    const double intra = m_summaries.front().intraNode(marked);
    const double inter = m_summaries.front().interNode(marked);
    const double all = intra + inter;
    const QString text = is_short ? QStringLiteral("%1: %2 in nodes, %3 between (%4)")
                                  : QStringLiteral("%1: %2 inside nodes, %3 between nodes (%4)");
    return text.arg(whoseTraffic(marked, is_short), bytesText(intra), bytesText(inter),
                    ratioText(all > 0.0 ? inter / all : 0.0))
           + (is_short ? QString{} : betweenPods(marked));
}

} // namespace shardscope

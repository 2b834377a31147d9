// What the explorer of collectives says of a place under the mouse.
#include "widgets/panels/collectives/collective_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/picture/explanation_html.h"
#include "widgets/session/shown_text.h"

#include "core/report/explanation/collective_explanation.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr std::int64_t hovered_size = std::int64_t{1} << 28; // over nodes

} // namespace

// Over nodes that of a middle size; none where a cluster is compared, or where there is nobody to talk to.
std::optional<CollectivePanel::Call> CollectivePanel::callAt(double x) const
{
    if (x <= 0.0 || m_series.empty())
        return std::nullopt;
    Call call{*group(), static_cast<std::int64_t>(std::llround(x))};
    if (m_along == Along::nodes)
        call = {groupOfNodes(m_content.predicted->scenario.cluster,
                             std::max(1, static_cast<int>(std::lround(x)))),
                hovered_size};
    return call.group.ranks < 2 ? std::nullopt : std::optional{call};
}

// "all_reduce of 256 MiB, 8 ranks of tp: 12 ms ± 5 %, 40 GB/s bus bandwidth"
QString CollectivePanel::callText(const Call& call) const
{
    const Cluster& cluster = m_content.predicted->scenario.cluster;
    const CollectivePoint point = collectivePoint(cluster, op(), call.group, call.message_bytes);
    const double error = point.error_band[1];
    return tr("%1 of %2, %3: %4%5, %6 GB/s bus bandwidth")
        .arg(toQString(word(op())), bytesText(static_cast<double>(call.message_bytes)), call.group.name,
             secondsText(point.time_s), error > 0.0 ? tr(" ± %1").arg(percentText(error)) : QString{},
             QString::number(point.busbw_GBps, 'g', 4));
}

// Of the other curves, "4 nodes: 1.2 ms, 2.9 GB/s" each.
QStringList CollectivePanel::otherLines(double x) const
{
    QStringList lines;
    for (const Series& series : m_series) {
        const bool over_nodes = m_along == Along::nodes;
        if (series.cluster == nullptr || (series.is_main && !over_nodes))
            continue;
        const CollectiveGroup of =
            over_nodes ? groupOfNodes(*series.cluster, std::max(1, static_cast<int>(std::lround(x))))
                       : series.group;
        const std::int64_t bytes =
            over_nodes ? series.message_bytes : static_cast<std::int64_t>(std::llround(x));
        if (of.ranks < 2 || bytes <= 0)
            continue;
        const CollectivePoint point = collectivePoint(*series.cluster, op(), of, bytes);
        lines << tr("%1: %2, %3 GB/s")
                     .arg(series.label, secondsText(point.time_s), QString::number(point.busbw_GBps, 'g', 4));
    }
    return lines;
}

QString CollectivePanel::statusAt(double x) const
{
    if (const QStringList measured = measuredLines(x); !measured.isEmpty())
        return measured.join(QStringLiteral("; "));
    if (!m_compared.isEmpty() && x > 0.0 && !m_series.empty()) {
        const QStringList lines = comparedLines(x);
        return lines.front() + lines.mid(1).join(QStringLiteral(", "));
    }
    const std::optional<Call> call = callAt(x);
    if (!call)
        return {};
    const CollectiveQuestion question = questionOf(op(), call->group, {});
    return callText(*call) + QStringLiteral("; ")
           + toQString(
               collectivePartsText(m_content.predicted->scenario.cluster, question, call->message_bytes));
}

QString CollectivePanel::tipAt(double x) const
{
    if (const QString measured = measuredTip(x); !measured.isEmpty())
        return measured;
    const QString hint = m_along == Along::sizes
                             ? tr("Drag a handle to change the cluster's bandwidth or latency")
                             : QString{};
    if (!m_compared.isEmpty() && x > 0.0 && !m_series.empty())
        return (comparedLines(x) << hint).join('\n').trimmed();
    const std::optional<Call> call = callAt(x);
    if (!call)
        return {};
    const Cluster& cluster = m_content.predicted->scenario.cluster;
    const CollectiveQuestion question = questionOf(op(), call->group, {});
    QString text = QStringLiteral("<p><b>%1</b></p>").arg(callText(*call).toHtmlEscaped());
    if (const QStringList others = otherLines(x); !others.isEmpty())
        text += QStringLiteral("<p>%1</p>").arg(others.join('\n').toHtmlEscaped().replace('\n', "<br>"));
    text += explanationHtml(explainCollective(cluster, question, call->message_bytes));
    return hint.isEmpty() ? text : text + QStringLiteral("<p><i>%1</i></p>").arg(hint);
}

} // namespace shardscope

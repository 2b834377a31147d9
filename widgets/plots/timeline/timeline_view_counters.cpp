#include "widgets/plots/timeline/timeline_view.h"
#include "widgets/session/shown_text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

// Curves of counters in the timeline: memory, utilisation.

namespace shardscope
{

namespace
{

constexpr int room_above = 3; // pixels over the highest value

QString valueText(const Counter& counter, double value)
{
    if (counter.is_bytes)
        return bytesText(value);
    return QString::number(value, 'g', 6);
}

// What the lane's height stands for: from 0, unless values are negative.
std::pair<double, double> scaleOf(const CounterCurve& curve)
{
    const double low = std::min(0.0, curve.least());
    const double high = std::max(0.0, curve.most());
    return {low, high > low ? high : low + 1.0};
}

} // namespace

// Pixels from the lane's foot up to a value.
double TimelineView::counterHeight(const Lane& lane, double value) const
{
    const auto [low, high] = scaleOf(m_scene.measured->ranks[lane.rank].counters[lane.track].curve);
    return (value - low) / (high - low) * (lane.height - room_above);
}

// A filled curve; where values change within a column, it is as thick as they are apart.
void TimelineView::paintCurve(QPainter& painter, const QRect& area, const Lane& lane,
                              const TimelineStyle& look) const
{
    const MeasuredRank& rank = m_scene.measured->ranks[lane.rank];
    const CounterCurve& curve = rank.counters[lane.track].curve;
    const QColor line = look.theme.colour(Hue::activations);
    const QColor filling = look.theme.faded(line);
    const double foot = area.top() + lane.bottom() - m_rank_scroll;
    const double zero = foot - counterHeight(lane, 0.0);
    const TimeRange range = rank.ownTime(inSection(m_scene, TimelineSection::measured, m_range));
    const std::vector<CounterColumn> columns = curve.columns(range, area.width());
    for (std::size_t x = 0; x < columns.size();) {
        std::size_t end = x + 1; // columns alike are one rectangle
        while (end < columns.size() && columns[end] == columns[x])
            ++end;
        if (columns[x].is_known) {
            const double low = foot - counterHeight(lane, columns[x].low);
            const double high = foot - counterHeight(lane, columns[x].high);
            const double left = area.left() + static_cast<double>(x);
            const auto wide = static_cast<double>(end - x);
            painter.fillRect(QRectF{left, std::min(zero, high), wide, std::abs(zero - high)}, filling);
            painter.fillRect(QRectF{left, high - 0.5, wide, std::max(1.5, low - high + 1.0)}, line);
        }
        x = end;
    }
}

void TimelineView::paintCounters(QPainter& painter, const QRect& area, const TimelineStyle& look) const
{
    const auto [first, last] = lanesBetween(m_rank_lanes, m_rank_scroll, m_rank_scroll + area.height());
    const QFontMetricsF metrics{look.font};
    painter.save();
    painter.setClipRect(area);
    painter.setFont(look.font);
    for (std::size_t i = first; i < last; ++i) {
        const Lane& lane = m_rank_lanes[i];
        if (lane.role != LaneRole::counter)
            continue;
        paintCurve(painter, area, lane, look);
        const CounterCurve& curve = m_scene.measured->ranks[lane.rank].counters[lane.track].curve;
        const double top = area.top() + lane.top - m_rank_scroll;
        painter.setPen(look.theme.faintText());
        painter.drawText(QRectF{area.left() + 4.0, top, area.width() - 8.0, metrics.height()},
                         Qt::AlignRight | Qt::AlignVCenter,
                         tr("at most %1").arg(valueText(curve.counter(), curve.most())));
    }
    painter.restore();
}

// A moment of the axis by the clock of the rank's file.
TraceTime TimelineView::ownTime(const MeasuredRank& rank, TraceTime axis_time) const
{
    return rank.ownTime(inSection(m_scene, TimelineSection::measured, {axis_time, 1})).start_ns;
}

QString TimelineView::counterText(const Lane& lane, TraceTime axis_time) const
{
    const MeasuredRank& rank = m_scene.measured->ranks[lane.rank];
    const MeasuredCounter& counter = rank.counters[lane.track];
    const std::optional<double> value = counter.curve.valueAt(ownTime(rank, axis_time));
    return QStringLiteral("%1, %2: %3")
        .arg(rank.name, counter.name,
             value ? valueText(counter.curve.counter(), *value) : tr("not known yet at this time"));
}

// The value under the mouse, beside a dot on the curve.
void TimelineView::paintCounterValue(QPainter& painter, const TimelineStyle& look) const
{
    const std::optional<Lane> lane = laneUnder(*m_mouse);
    if (!lane || lane->role != LaneRole::counter || sectionAt(*m_mouse) != TimelineSection::measured)
        return;
    const MeasuredRank& rank = m_scene.measured->ranks[lane->rank];
    const CounterCurve& curve = rank.counters[lane->track].curve;
    const std::optional<double> value = curve.valueAt(ownTime(rank, timeAt(m_mouse->x())));
    if (!value)
        return;
    const QRect area = m_layout.measured_lanes;
    const double y = area.top() + lane->bottom() - m_rank_scroll - counterHeight(*lane, *value);
    const QFontMetricsF metrics{look.font};
    const QString text = valueText(curve.counter(), *value);
    const double wide = metrics.horizontalAdvance(text) + 8.0;
    const double x = m_mouse->x() + 8.0 + wide < width() ? m_mouse->x() + 8.0 : m_mouse->x() - 8.0 - wide;
    const QRectF box{x, area.top() + lane->top - m_rank_scroll + 2.0, wide, metrics.height() + 2.0};
    painter.save();
    painter.setClipRect(area);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen{look.theme.background(), 1.0});
    painter.setBrush(look.theme.text());
    painter.drawEllipse(QPointF{static_cast<double>(m_mouse->x()), y}, 3.5, 3.5);
    painter.drawRoundedRect(box, 3.0, 3.0);
    painter.setPen(look.theme.background());
    painter.setFont(look.font);
    painter.drawText(box, Qt::AlignCenter, text);
    painter.restore();
}

} // namespace shardscope

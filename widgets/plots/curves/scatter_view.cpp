#include "widgets/plots/curves/scatter_view.h"

#include "widgets/plots/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double point_radius = 3.0;
constexpr double hollow_width = 1.2; // of the line around a hollow point
constexpr double reach = 9.0;        // of the mouse, in pixels
constexpr double left_margin = 66.0;
constexpr double bottom_margin = 44.0;
constexpr double top_margin = 10.0;
constexpr double right_margin = 26.0; // half a label
constexpr double band = 0.1;          // drawn around the diagonal: 10 % either way
constexpr std::array hues{Hue::compute, Hue::tp,  Hue::dp,       Hue::pp,        Hue::ep,
                          Hue::emb,     Hue::cp,  Hue::mp,       Hue::gradients, Hue::activations,
                          Hue::weights, Hue::edp, Hue::optimizer};

} // namespace

// Where the axes' values lie in a rectangle.
struct ScatterView::Mapping {
    QRectF area;
    double low;  // log10
    double high; // log10

    double along(double value) const { return (std::log10(value) - low) / (high - low); }
    double x(double value) const { return area.left() + along(value) * area.width(); }
    double y(double value) const { return area.bottom() - along(value) * area.height(); }
    QPointF place(const ScatterPoint& point) const { return {x(point.x), y(point.y)}; }
};

ScatterView::ScatterView(QWidget* parent) : QWidget{parent}
{
    setMouseTracking(true);
}

void ScatterView::setPoints(std::vector<ScatterPoint> points)
{
    m_points = std::move(points);
    m_current = -1;
    m_low = 1e300;
    m_high = 0.0;
    for (const ScatterPoint& point : m_points) {
        m_low = std::min({m_low, point.x, point.y});
        m_high = std::max({m_high, point.x, point.y});
    }
    if (m_points.empty()) {
        m_low = 0.1;
        m_high = 10.0;
    }
    const double room = m_high > m_low ? std::clamp(std::pow(m_high / m_low, 0.1), 1.01, 1.3) : 1.3;
    m_low /= room;
    m_high *= room;
    update();
}

void ScatterView::setUnit(AxisUnit unit)
{
    m_unit = unit;
    update();
}

void ScatterView::setAxisNames(const QString& x, const QString& y)
{
    m_x_name = x;
    m_y_name = y;
    update();
}

void ScatterView::setHighlightedGroup(int group)
{
    m_group = group;
    update();
}

QColor ScatterView::groupColour(int group) const
{
    return Theme{palette()}.colour(hues[static_cast<std::size_t>(group) % hues.size()]);
}

ScatterView::Mapping ScatterView::mappingFor(const QRectF& rectangle) const
{
    return {rectangle.adjusted(left_margin, top_margin, -right_margin, -bottom_margin), std::log10(m_low),
            std::log10(m_high)};
}

bool ScatterView::isShown(const ScatterPoint& point) const
{
    return m_group < 0 || point.group == m_group;
}

int ScatterView::pointAt(const QPointF& place) const
{
    const Mapping mapping = mappingFor(rect());
    int nearest = -1;
    double least = reach;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF way = mapping.place(m_points[i]) - place;
        const double distance = std::hypot(way.x(), way.y());
        if (isShown(m_points[i]) && distance < least) {
            least = distance;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

void ScatterView::paintTo(QPainter& painter, const QRectF& rectangle) const
{
    const Mapping mapping = mappingFor(rectangle);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(pixelFont(font()));
    painter.fillRect(rectangle, Theme{palette()}.background());
    paintAxes(painter, mapping);
    painter.setClipRect(mapping.area);
    paintPoints(painter, mapping);
    painter.setClipping(false);
}

void ScatterView::paintAxes(QPainter& painter, const Mapping& mapping) const
{
    const Theme theme{palette()};
    const QRectF& area = mapping.area;
    const QFontMetricsF metrics{painter.font()};
    for (const AxisTick& tick : logTicks(m_low, m_high, m_unit, 6)) {
        if (tick.value < m_low || tick.value > m_high)
            continue;
        const double x = mapping.x(tick.value);
        const double y = mapping.y(tick.value);
        painter.setPen(theme.grid());
        painter.drawLine(QPointF{x, area.top()}, QPointF{x, area.bottom()});
        painter.drawLine(QPointF{area.left(), y}, QPointF{area.right(), y});
        painter.setPen(theme.text());
        painter.drawText(QRectF{x - 60, area.bottom() + 3, 120, metrics.height()}, Qt::AlignCenter,
                         tick.label);
        painter.drawText(QRectF{area.left() - 64, y - metrics.height() / 2, 60, metrics.height()},
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.setPen(theme.faintText());
    painter.drawText(
        QRectF{area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height()},
        Qt::AlignCenter, m_x_name);
    painter.save();
    painter.translate(area.left() - 58, area.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF{-area.height() / 2, -metrics.height() / 2, area.height(), metrics.height()},
                     Qt::AlignCenter, m_y_name);
    painter.restore();
}

void ScatterView::paintPoints(QPainter& painter, const Mapping& mapping) const
{
    const Theme theme{palette()};
    const auto diagonal = [&](double factor) {
        return QLineF{mapping.x(m_low), mapping.y(m_low * factor), mapping.x(m_high),
                      mapping.y(m_high * factor)};
    };
    painter.setPen(QPen{theme.faintText(), 1.0, Qt::DashLine});
    painter.drawLine(diagonal(1.0 + band));
    painter.drawLine(diagonal(1.0 - band));
    painter.setPen(QPen{theme.text(), 1.0});
    painter.drawLine(diagonal(1.0));
    for (const bool shown : {false, true})
        for (const ScatterPoint& point : m_points) {
            if (isShown(point) != shown)
                continue;
            const QColor group_colour = groupColour(point.group);
            const QColor colour = shown ? group_colour : theme.faded(group_colour);
            painter.setPen(point.hollow ? QPen{colour, hollow_width} : QPen{Qt::NoPen});
            painter.setBrush(point.hollow ? QBrush{Qt::NoBrush} : QBrush{colour});
            painter.drawEllipse(mapping.place(point), point_radius, point_radius);
        }
    if (m_current >= 0) {
        painter.setPen(QPen{theme.text(), 2.0});
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(mapping.place(m_points[static_cast<std::size_t>(m_current)]), 2 * point_radius,
                            2 * point_radius);
    }
}

void ScatterView::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    paintTo(painter, rect());
}

void ScatterView::mouseMoveEvent(QMouseEvent* event)
{
    const int point = pointAt(event->position());
    if (point != m_current) {
        m_current = point;
        update();
    }
    if (point >= 0 && m_tip)
        QToolTip::showText(event->globalPosition().toPoint(), m_tip(point), this);
    else
        QToolTip::hideText();
}

void ScatterView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int point = pointAt(event->position()); point >= 0)
        emit activated(point);
}

void ScatterView::leaveEvent(QEvent* event)
{
    m_current = -1;
    update();
    QWidget::leaveEvent(event);
}

} // namespace shardscope

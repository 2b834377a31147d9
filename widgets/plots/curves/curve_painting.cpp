#include "widgets/plots/curves/curve_painting.h"

#include "widgets/plots/curves/end_labels.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double gap = 6.0;
constexpr double handle_size = 5.0;
constexpr double minor_tick = 4.0;
constexpr int least_lines_with_title = 9;

std::vector<AxisTick> ticksOf(double low, double high, AxisUnit unit, double room, double each)
{
    const int most = std::clamp(static_cast<int>(room / each), 2, 10);
    return logTicks(low, high, unit, most);
}

double widestLabel(const std::vector<AxisTick>& ticks, const QFontMetricsF& metrics)
{
    double widest = 0.0;
    for (const AxisTick& tick : ticks)
        widest = std::max(widest, metrics.horizontalAdvance(tick.label));
    return widest;
}

std::vector<AxisTick> ticksAlong(const CurveScene& scene, double width, const QFontMetricsF& metrics)
{
    return ticksOf(scene.x_low, scene.x_high, scene.x_unit, width,
                   metrics.horizontalAdvance(QStringLiteral("512 MiB   ")));
}

std::vector<AxisTick> ticksUp(const CurveScene& scene, double height, const QFontMetricsF& metrics)
{
    return ticksOf(scene.y_low, scene.y_high, scene.y_unit, height, 1.8 * metrics.height());
}

// Of the upright axis: 2 to 9 times each power of ten, so that it is seen to be logarithmic.
std::vector<double> minorTicks(const CurveScene& scene, double height)
{
    constexpr double least_decade = 60.0; // in a lower one they would run together
    std::vector<double> values;
    if (height < least_decade * std::log10(scene.y_high / scene.y_low))
        return values;
    for (double power = std::pow(10.0, std::floor(std::log10(scene.y_low))); power <= scene.y_high;
         power *= 10.0)
        for (int digit = 2; digit < 10; ++digit)
            if (const double value = digit * power; value >= scene.y_low && value <= scene.y_high)
                values.push_back(value);
    return values;
}

// A low picture needs its lines for the curves.
double titleHeight(const CurveScene& scene, double height, const QFontMetricsF& metrics)
{
    return scene.x_title.isEmpty() || height < least_lines_with_title * metrics.height() ? 0.0
                                                                                         : metrics.height();
}

// So does the note.
double noteHeight(const CurveScene& scene, double height, const QFontMetricsF& metrics)
{
    return scene.note.isEmpty() || height < least_lines_with_title * metrics.height() ? 0.0
                                                                                      : metrics.height();
}

void paintAxes(QPainter& painter, const CurveScene& scene, const CurveMapping& mapping,
               const CurveStyle& style)
{
    const QFontMetricsF metrics{style.font};
    const QRectF& area = mapping.area();
    const auto text = [&](const QRectF& at, int flags, const QString& label) {
        painter.setPen(style.theme.faintText());
        painter.drawText(at, flags, label);
    };
    for (const AxisTick& tick : ticksAlong(scene, area.width(), metrics)) {
        const double x = mapping.place({tick.value, scene.y_low}).x();
        painter.setPen(style.theme.grid());
        painter.drawLine(QPointF{x, area.top()}, QPointF{x, area.bottom()});
        // The first one does not run into the figures of the other axis.
        const double width = metrics.horizontalAdvance(tick.label);
        const double left = std::max(x - width / 2, area.left() - gap);
        text({left, area.bottom() + 4, width + 1, metrics.height()}, Qt::AlignLeft | Qt::AlignTop,
             tick.label);
    }
    painter.setPen(style.theme.faintText());
    for (const double value : minorTicks(scene, area.height())) {
        const double y = mapping.place({scene.x_low, value}).y();
        painter.drawLine(QPointF{area.left(), y}, QPointF{area.left() + minor_tick, y});
    }
    for (const AxisTick& tick : ticksUp(scene, area.height(), metrics)) {
        const double y = mapping.place({scene.x_low, tick.value}).y();
        painter.setPen(style.theme.grid());
        painter.drawLine(QPointF{area.left(), y}, QPointF{area.right(), y});
        const double top = std::min(y - metrics.height() / 2, area.bottom() + 2 - metrics.height());
        text({0, top, area.left() - gap, metrics.height()}, Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
}

QPolygonF placed(const CurveLine& line, const CurveMapping& mapping)
{
    QPolygonF polygon;
    for (const QPointF& point : line.points)
        polygon << mapping.place(point);
    return polygon;
}

void paintLines(QPainter& painter, const CurveScene& scene, const CurveMapping& mapping)
{
    painter.save();
    painter.setClipRect(mapping.area().adjusted(-1, -1, 1, 1));
    painter.setPen(Qt::NoPen);
    for (const CurveBand& band : scene.bands) {
        QPolygonF polygon;
        for (const QPointF& point : band.low)
            polygon << mapping.place(point);
        for (auto point = band.high.rbegin(); point != band.high.rend(); ++point)
            polygon << mapping.place(*point);
        painter.setBrush(band.colour);
        painter.drawPolygon(polygon);
    }
    painter.setBrush(Qt::NoBrush);
    for (const bool dashed : {false, true}) // through the dashes the line beneath is seen
        for (const CurveLine& line : scene.lines) {
            if ((line.is_dashed || !line.dashes.isEmpty()) != dashed)
                continue;
            painter.setPen(penOf(line));
            painter.drawPolyline(placed(line, mapping));
        }
    constexpr double mark = 3.5;
    for (const CurveMark& point : scene.marks) {
        painter.setPen(QPen{point.colour, 1.5});
        painter.drawEllipse(mapping.place(point.at), mark, mark);
    }
    painter.restore();
}

void paintHandles(QPainter& painter, const CurveScene& scene, const CurveMapping& mapping,
                  const CurveStyle& style)
{
    for (std::size_t i = 0; i < scene.handles.size(); ++i) {
        const CurveHandle& handle = scene.handles[i];
        const double size = handle_size + (static_cast<int>(i) == style.active_handle ? 2.0 : 0.0);
        painter.setPen(QPen{handle.colour, 2.0});
        painter.setBrush(style.theme.background());
        const QPointF at = mapping.place(handle.at);
        painter.drawEllipse(at, size, size);
        painter.drawLine(at + QPointF{0, -size + 2.5}, at + QPointF{0, size - 2.5}); // up and down
    }
}

void paintNote(QPainter& painter, const CurveScene& scene, double width, const CurveStyle& style)
{
    const QFontMetricsF metrics{style.font};
    const QRectF note{gap, 1.1 * metrics.height(), width - 2 * gap, metrics.height()};
    painter.setPen(style.theme.faintText());
    painter.drawText(note, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(scene.note, Qt::ElideRight, note.width()));
}

} // namespace

QPen penOf(const CurveLine& line)
{
    QPen pen{line.colour, line.width, line.is_dashed ? Qt::DashLine : Qt::SolidLine, Qt::RoundCap,
             Qt::RoundJoin};
    if (!line.dashes.isEmpty())
        pen.setDashPattern(line.dashes);
    return pen;
}

CurveMapping::CurveMapping(const CurveScene& scene, const QRectF& area)
    : m_area{area},
      m_x_low{std::log(scene.x_low)},
      m_x_size{std::log(scene.x_high) - m_x_low},
      m_y_low{std::log(scene.y_low)},
      m_y_size{std::log(scene.y_high) - m_y_low}
{
}

QPointF CurveMapping::place(const QPointF& value) const
{
    const double tiny = 1e-300;
    return {m_area.left() + m_area.width() * (std::log(std::max(value.x(), tiny)) - m_x_low) / m_x_size,
            m_area.bottom() - m_area.height() * (std::log(std::max(value.y(), tiny)) - m_y_low) / m_y_size};
}

QPointF CurveMapping::value(const QPointF& place) const
{
    return {std::exp(m_x_low + m_x_size * (place.x() - m_area.left()) / m_area.width()),
            std::exp(m_y_low + m_y_size * (m_area.bottom() - place.y()) / m_area.height())};
}

QRectF curveArea(const CurveScene& scene, const QRectF& rectangle, const QFont& font)
{
    const QFontMetricsF metrics{font};
    const double up = widestLabel(ticksUp(scene, rectangle.height(), metrics), metrics);
    const double note = noteHeight(scene, rectangle.height(), metrics);
    const QRectF area = rectangle.adjusted(
        up + 2 * gap, 1.6 * metrics.height() + note, -endLabelRoom(scene, rectangle.width(), font) - gap,
        -metrics.height() - gap - titleHeight(scene, rectangle.height(), metrics));
    return area.isValid() ? area : QRectF{rectangle.topLeft(), QSizeF{1, 1}};
}

// Labels at the ends of lines may leave the area less wide than the titles, which have the whole picture.
CurveTitles curveTitles(const CurveScene& scene, const QRectF& rectangle, const QFont& font)
{
    const QFontMetricsF metrics{font};
    const QRectF area = curveArea(scene, rectangle, font);
    const double room = rectangle.width() - 2 * gap;
    const auto placed = [&](const QString& title, double middle, double top) {
        const QString text = metrics.elidedText(title, Qt::ElideRight, room);
        const double width = std::min(room, std::ceil(metrics.horizontalAdvance(text)));
        const double left = rectangle.left() + gap;
        return CurveTitle{
            text, {std::clamp(middle - width / 2, left, left + room - width), top, width, metrics.height()}};
    };
    CurveTitles titles;
    titles.up = placed(scene.y_title, rectangle.left(), rectangle.top());
    if (titleHeight(scene, rectangle.height(), metrics) > 0.0)
        titles.along = placed(scene.x_title, area.center().x(), area.bottom() + 4 + metrics.height());
    return titles;
}

void paintCurves(QPainter& painter, const CurveScene& scene, const QRectF& rectangle, const CurveStyle& style)
{
    painter.setFont(style.font);
    if (!scene.hint.isEmpty()) {
        painter.setPen(style.theme.faintText());
        painter.drawText(rectangle.adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap, scene.hint);
        return;
    }
    painter.save();
    painter.translate(rectangle.topLeft());
    const QRectF inner{QPointF{0, 0}, rectangle.size()};
    const CurveMapping mapping{scene, curveArea(scene, inner, style.font)};
    const QFontMetricsF metrics{style.font};
    paintAxes(painter, scene, mapping, style);
    const CurveTitles titles = curveTitles(scene, inner, style.font);
    painter.setPen(style.theme.faintText());
    for (const CurveTitle& title : {titles.up, titles.along})
        painter.drawText(title.box, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip, title.text);
    painter.setRenderHint(QPainter::Antialiasing);
    if (style.cursor_x > 0.0) {
        const double x = mapping.place({style.cursor_x, scene.y_low}).x();
        painter.setPen(QPen{style.theme.faintText(), 1.0, Qt::DotLine});
        painter.drawLine(QPointF{x, mapping.area().top()}, QPointF{x, mapping.area().bottom()});
    }
    paintLines(painter, scene, mapping);
    paintEndLabels(painter, scene, endLabels(scene, mapping, rectangle.width(), style.font));
    paintHandles(painter, scene, mapping, style);
    if (noteHeight(scene, rectangle.height(), metrics) > 0.0)
        paintNote(painter, scene, rectangle.width(), style);
    painter.restore();
}

} // namespace shardscope

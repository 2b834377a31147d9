#include "widgets/plots/maps/map_painting.h"

#include "widgets/plots/note_lines.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double gap = 6.0;
constexpr double bar_width = 12.0;
constexpr double mark_size = 5.0;
constexpr double least_lines_with_long_note = 14.0; // a map lower than that needs them for its cells

double widest(const std::vector<MapTick>& ticks, const QFontMetricsF& metrics)
{
    double width = 0.0;
    for (const MapTick& tick : ticks)
        width = std::max(width, metrics.horizontalAdvance(tick.label));
    return width;
}

// Pale ones are mixed with the ground.
QRgb colourOf(const MapScene& scene, MapCellPlace place, const HeatColours& colours, const Theme& theme)
{
    const double value = scene.value(place.column, place.row);
    if (std::isnan(value))
        return theme.grid().rgb();
    const QRgb colour = colours[static_cast<std::size_t>(std::clamp(scene.span.colourOf(value), 0, 255))];
    if (!scene.isPale(place.column, place.row))
        return colour;
    constexpr double left = 0.3; // of the colour
    return blend(theme.background(), QColor::fromRgb(colour), left).rgb();
}

double columnPixel(const MapScene& scene, const QRectF& cells, double place)
{
    return cells.left() + (place + 0.5) / scene.columns * cells.width();
}

double rowPixel(const MapScene& scene, const QRectF& cells, double place)
{
    return cells.bottom() - (place + 0.5) / scene.rows * cells.height();
}

void paintCells(QPainter& painter, const MapScene& scene, const QRectF& cells, const MapStyle& style)
{
    const HeatColours& colours = sequentialColours(style.theme.isDark());
    painter.setPen(Qt::NoPen);
    for (int row = 0; row < scene.rows; ++row)
        for (int column = 0; column < scene.columns; ++column) {
            const QRgb colour = colourOf(scene, {column, row}, colours, style.theme);
            painter.fillRect(mapCellRectangle(scene, cells, {column, row}), QColor::fromRgb(colour));
        }
}

// Labels that would touch the one before are left out.
void paintColumnTicks(QPainter& painter, const MapScene& scene, const QRectF& cells,
                      const QFontMetricsF& metrics, const Theme& theme)
{
    double free = -1e9;
    for (const MapTick& tick : scene.x_ticks) {
        const double x = columnPixel(scene, cells, tick.place);
        const double width = metrics.horizontalAdvance(tick.label);
        if (x - width / 2 < free)
            continue;
        free = x + width / 2 + gap;
        painter.setPen(theme.faintText());
        painter.drawLine(QPointF{x, cells.bottom()}, QPointF{x, cells.bottom() + 3});
        painter.drawText(QRectF{x - width, cells.bottom() + 4, 2 * width, metrics.height()},
                         Qt::AlignHCenter | Qt::AlignTop, tick.label);
    }
}

void paintRowTicks(QPainter& painter, const MapScene& scene, const QRectF& cells,
                   const QFontMetricsF& metrics, const Theme& theme)
{
    double free = 1e9;
    for (const MapTick& tick : scene.y_ticks) {
        const double y = rowPixel(scene, cells, tick.place);
        if (y + metrics.height() / 2 > free)
            continue;
        free = y - metrics.height() / 2;
        painter.setPen(theme.faintText());
        painter.drawLine(QPointF{cells.left() - 3, y}, QPointF{cells.left(), y});
        painter.drawText(QRectF{cells.left() - 204, y - metrics.height() / 2, 200, metrics.height()},
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
}

void paintTitles(QPainter& painter, const MapScene& scene, const QRectF& rectangle, const MapLayout& layout,
                 const QFontMetricsF& metrics, const Theme& theme)
{
    const QRectF& cells = layout.cells;
    painter.setPen(theme.text());
    const double below = scene.x_ticks.empty() ? 4.0 : 5.0 + metrics.height();
    painter.drawText(QRectF{cells.left(), cells.bottom() + below, cells.width(), metrics.height()},
                     Qt::AlignHCenter | Qt::AlignTop,
                     metrics.elidedText(scene.x_title, Qt::ElideRight, cells.width()));
    painter.save();
    painter.translate(rectangle.left() + gap, cells.center().y());
    painter.rotate(-90.0);
    painter.drawText(QRectF{-cells.height() / 2, 0, cells.height(), metrics.height()},
                     Qt::AlignHCenter | Qt::AlignTop,
                     metrics.elidedText(scene.y_title, Qt::ElideRight, cells.height()));
    painter.restore();
    painter.setPen(theme.faintText());
    painter.drawText(layout.note, Qt::AlignLeft | Qt::AlignTop, layout.note_lines.join('\n'));
}

void paintBlocks(QPainter& painter, const MapScene& scene, const QRectF& cells, const QFontMetricsF& metrics,
                 const Theme& theme)
{
    const QPen line{theme.background(), 3.0};
    for (const MapBlock& block : scene.x_blocks) {
        const double left = columnPixel(scene, cells, block.first - 0.5);
        const double right = columnPixel(scene, cells, block.first + block.count - 0.5);
        painter.setPen(line);
        if (block.first > 0)
            painter.drawLine(QPointF{left, cells.top()}, QPointF{left, cells.bottom()});
        painter.setPen(theme.text());
        painter.drawText(QRectF{left, cells.top() - metrics.height() - 1, right - left, metrics.height()},
                         Qt::AlignCenter, block.name);
    }
    for (const MapBlock& block : scene.y_blocks) {
        const double bottom = rowPixel(scene, cells, block.first - 0.5);
        const double top = rowPixel(scene, cells, block.first + block.count - 0.5);
        painter.setPen(line);
        if (block.first > 0)
            painter.drawLine(QPointF{cells.left(), bottom}, QPointF{cells.right(), bottom});
        painter.setPen(theme.text());
        painter.drawText(QRectF{cells.right() + 4, top, 60, bottom - top}, Qt::AlignLeft | Qt::AlignVCenter,
                         block.name);
    }
}

// A ring with a dot for the scenario, a ring alone for the pinned one; a halo keeps them readable on any
// colour.
void paintMarks(QPainter& painter, const MapScene& scene, const QRectF& cells, const Theme& theme)
{
    painter.setBrush(Qt::NoBrush);
    for (const MapMark& mark : scene.marks) {
        const QPointF at{columnPixel(scene, cells, mark.column), rowPixel(scene, cells, mark.row)};
        if (!cells.adjusted(-1, -1, 1, 1).contains(at))
            continue;
        painter.setPen(QPen{theme.background(), 4.0});
        painter.drawEllipse(at, mark_size, mark_size);
        painter.setPen(QPen{theme.text(), 1.8, mark.is_pinned ? Qt::DotLine : Qt::SolidLine});
        painter.drawEllipse(at, mark_size, mark_size);
        if (!mark.is_pinned) {
            painter.setPen(QPen{theme.text(), 3.0, Qt::SolidLine, Qt::RoundCap});
            painter.drawPoint(at);
        }
    }
}

void paintColourBar(QPainter& painter, const MapScene& scene, const QRectF& bar, const QFontMetricsF& metrics,
                    const Theme& theme)
{
    if (bar.isEmpty())
        return;
    const HeatColours& colours = sequentialColours(theme.isDark());
    constexpr int steps = 64;
    for (int i = 0; i < steps; ++i) {
        const double top = bar.bottom() - bar.height() * (i + 1) / steps;
        painter.fillRect(QRectF{bar.left(), top, bar.width(), bar.height() / steps + 0.5},
                         QColor::fromRgb(colours[static_cast<std::size_t>(i * 255 / (steps - 1))]));
    }
    painter.setPen(theme.faintText());
    double free = 1e9;
    for (const MapTick& tick : scene.colour_ticks) {
        const double y = bar.bottom() - tick.place * bar.height();
        if (y + metrics.height() / 2 > free)
            continue;
        free = y - metrics.height() / 2;
        painter.drawText(QRectF{bar.right() + 4, y - metrics.height() / 2, 200, metrics.height()},
                         Qt::AlignLeft | Qt::AlignVCenter, tick.label);
    }
}

} // namespace

MapLayout layOutMap(const MapScene& scene, const QRectF& rectangle, const QFont& font)
{
    const QFontMetricsF metrics{font};
    const double left = gap + metrics.height() + 4 + widest(scene.y_ticks, metrics) + gap;
    const double blocks = scene.y_blocks.empty() ? 0.0 : metrics.horizontalAdvance(QStringLiteral("b 4 "));
    const double labels = widest(scene.colour_ticks, metrics);
    const bool has_bar = rectangle.width() > 260.0 && !scene.colour_ticks.empty();
    const double right = gap + blocks + (has_bar ? gap + bar_width + 4 + labels + gap : 0.0);
    // The note may stand over the bar of colours too.
    const double note_width = std::max(0.0, rectangle.width() - left - gap);
    const int most_lines = rectangle.height() < least_lines_with_long_note * metrics.height() ? 1 : 2;
    const QStringList note = noteWithin(scene.note, metrics, note_width, note_width, most_lines);
    const double note_height = static_cast<double>(note.size()) * metrics.height();
    const double top = gap + note_height + (scene.x_blocks.empty() ? 0.0 : metrics.height());
    const double bottom = gap + (scene.x_ticks.empty() ? 4.0 : 5.0 + metrics.height()) + metrics.height();
    MapLayout layout;
    layout.note = QRectF{rectangle.left() + left, rectangle.top() + gap - 3.0, note_width, note_height};
    layout.note_lines = note;
    layout.cells = rectangle.adjusted(left, top, -right, -bottom);
    if (layout.cells.width() < 1.0 || layout.cells.height() < 1.0) {
        layout.cells = {};
        return layout;
    }
    if (has_bar)
        layout.colour_bar = QRectF{layout.cells.right() + blocks + 2 * gap, layout.cells.top(), bar_width,
                                   layout.cells.height()};
    return layout;
}

MapCellPlace mapCellAt(const MapScene& scene, const QRectF& cells, QPointF point)
{
    if (cells.isEmpty() || !cells.contains(point) || scene.columns == 0 || scene.rows == 0)
        return {};
    const int column = static_cast<int>((point.x() - cells.left()) / cells.width() * scene.columns);
    const int row = static_cast<int>((cells.bottom() - point.y()) / cells.height() * scene.rows);
    return {std::clamp(column, 0, scene.columns - 1), std::clamp(row, 0, scene.rows - 1)};
}

QRectF mapCellRectangle(const MapScene& scene, const QRectF& cells, MapCellPlace place)
{
    const double width = cells.width() / scene.columns;
    const double height = cells.height() / scene.rows;
    return {cells.left() + place.column * width, cells.bottom() - (place.row + 1) * height, width, height};
}

QImage mapImage(const MapScene& scene, const Theme& theme)
{
    if (scene.columns <= 0 || scene.rows <= 0)
        return {};
    QImage image{scene.columns, scene.rows, QImage::Format_RGB32};
    const HeatColours& colours = sequentialColours(theme.isDark());
    for (int row = 0; row < scene.rows; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(scene.rows - 1 - row));
        for (int column = 0; column < scene.columns; ++column)
            line[column] = colourOf(scene, {column, row}, colours, theme);
    }
    return image;
}

void paintMap(QPainter& painter, const MapScene& scene, const QRectF& rectangle, const MapStyle& style,
              const QImage* image)
{
    painter.save();
    painter.setFont(style.font);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QFontMetricsF metrics{style.font};
    if (!scene.hint.isEmpty()) {
        painter.setPen(style.theme.faintText());
        painter.drawText(rectangle.adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                         scene.hint);
        painter.restore();
        return;
    }
    const MapLayout layout = layOutMap(scene, rectangle, style.font);
    if (!layout.cells.isEmpty() && scene.columns > 0 && scene.rows > 0) {
        if (image != nullptr)
            painter.drawImage(layout.cells, *image);
        else
            paintCells(painter, scene, layout.cells, style);
        paintColumnTicks(painter, scene, layout.cells, metrics, style.theme);
        paintRowTicks(painter, scene, layout.cells, metrics, style.theme);
        paintTitles(painter, scene, rectangle, layout, metrics, style.theme);
        paintBlocks(painter, scene, layout.cells, metrics, style.theme);
        paintColourBar(painter, scene, layout.colour_bar, metrics, style.theme);
        painter.setRenderHint(QPainter::Antialiasing);
        paintMarks(painter, scene, layout.cells, style.theme);
        if (!style.current.isNone()) {
            painter.setPen(QPen{style.theme.text(), 1.5});
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(mapCellRectangle(scene, layout.cells, style.current));
        }
    }
    painter.restore();
}

} // namespace shardscope

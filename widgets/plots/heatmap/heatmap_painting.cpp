#include "widgets/plots/heatmap/heatmap_painting.h"

#include "widgets/plots/heatmap/heat_ticks.h"
#include "widgets/plots/heatmap/heatmap_axes.h"
#include "widgets/plots/heatmap/square_painting.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double tick_spacing = 34.0;
constexpr int most_legend_ticks = 6;

int ticksOfBar(double height, const QFontMetricsF& metrics)
{
    return std::clamp(static_cast<int>(height / (2.0 * metrics.height())), 2, most_legend_ticks);
}

void paintColourBar(QPainter& painter, const QRectF& bar, const HeatSpan& span, const HeatmapStyle& style)
{
    if (bar.isEmpty() || span.most <= 0.0)
        return;
    const HeatColours& colours =
        span.diverging ? divergingColours(style.theme.isDark()) : sequentialColours(style.theme.isDark());
    QImage image{1, 256, QImage::Format_RGB32};
    for (int i = 0; i < 256; ++i)
        image.setPixel(0, 255 - i, colours[static_cast<std::size_t>(i)]);
    painter.drawImage(bar, image);
    painter.setPen(style.theme.faintText());
    const QFontMetricsF metrics{style.font};
    for (const HeatTick& tick : heatTicks(span, ticksOfBar(bar.height(), metrics))) {
        const double y = bar.bottom() - tick.place * bar.height();
        painter.drawLine(QPointF{bar.right(), y}, QPointF{bar.right() + 2.0, y});
        const double top =
            std::clamp(y - metrics.height() / 2, bar.top() - 2.0, bar.bottom() - metrics.height() + 2.0);
        painter.drawText(QRectF{bar.right() + 5.0, top, 200.0, metrics.height()},
                         Qt::AlignLeft | Qt::AlignVCenter, tick.label);
    }
}

// The widths of the table's columns: names with their squares of colour, and two of numbers.
struct TotalsColumns {
    double name = 0.0;
    double number = 0.0;
};

TotalsColumns columnsOf(const HeatmapScene& scene, const QFont& font)
{
    const QFontMetricsF metrics{font};
    TotalsColumns columns{0.0, metrics.horizontalAdvance(QStringLiteral("in nodes"))};
    for (const auto* lines : {&scene.totals, &scene.links, &scene.busy})
        for (const NodeTotalsLine& line : *lines) {
            columns.name = std::max(columns.name, metrics.horizontalAdvance(line.name));
            columns.number = std::max({columns.number, metrics.horizontalAdvance(line.intra),
                                       metrics.horizontalAdvance(line.inter)});
        }
    return {columns.name + 13.0, columns.number + 10.0};
}

void paintLines(QPainter& painter, const QRectF& area, const std::vector<NodeTotalsLine>& lines,
                const TotalsColumns& columns, const HeatmapStyle& style)
{
    if (area.isEmpty())
        return;
    const double line = std::ceil(QFontMetricsF{style.font}.height());
    const auto [name, number] = columns;
    double top = area.top();
    for (const NodeTotalsLine& one : lines) {
        if (one.colour.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(one.is_faded ? blend(style.theme.background(), one.colour, 0.3) : one.colour);
            painter.drawRect(QRectF{area.left(), top + line / 2 - 4.0, 8.0, 8.0});
        }
        painter.setPen(one.is_faded ? style.theme.faintText() : style.theme.text());
        const double indent = one.colour.isValid() ? 13.0 : 0.0;
        painter.drawText(QRectF{area.left() + indent, top, name, line}, Qt::AlignLeft | Qt::AlignVCenter,
                         one.name);
        painter.drawText(QRectF{area.left() + name, top, number, line}, Qt::AlignRight | Qt::AlignVCenter,
                         one.intra);
        painter.drawText(QRectF{area.left() + name + number, top, number, line},
                         Qt::AlignRight | Qt::AlignVCenter, one.inter);
        top += line;
    }
}

// The longest that has room.
void paintHeadline(QPainter& painter, const QRectF& place, const HeatmapScene& scene,
                   const HeatmapStyle& style)
{
    const QFontMetricsF metrics{style.font};
    const bool is_long = metrics.horizontalAdvance(scene.headline) > place.width();
    const QString& text = is_long && !scene.short_headline.isEmpty() ? scene.short_headline : scene.headline;
    painter.setPen(style.theme.text());
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(text, Qt::ElideRight, place.width()));
}

void paintTitle(QPainter& painter, const QRectF& place, const HeatmapSquare& square,
                const HeatmapStyle& style)
{
    if (place.height() <= 0.0)
        return;
    const QFontMetricsF metrics{style.font};
    const QString title = metrics.elidedText(square.title, Qt::ElideRight, place.width());
    painter.setPen(style.theme.text());
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, title);
    const QRectF rest = place.adjusted(metrics.horizontalAdvance(title + QStringLiteral("  ")), 0, 0, 0);
    if (rest.width() <= 0.0)
        return;
    painter.setPen(style.theme.faintText());
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(square.note, Qt::ElideRight, rest.width()));
}

void paintTables(QPainter& painter, const HeatmapLayout& layout, const HeatmapScene& scene,
                 const HeatmapStyle& style)
{
    const TotalsColumns columns = columnsOf(scene, style.font);
    std::vector<NodeTotalsLine> totals{{{}, {}, QStringLiteral("in nodes"), QStringLiteral("between"), true}};
    totals.insert(totals.end(), scene.totals.begin(), scene.totals.end());
    paintLines(painter, layout.totals, totals, columns, style);
    paintLines(painter, layout.links, scene.links, columns, style);
    paintLines(painter, layout.busy, scene.busy, columns, style);
}

} // namespace

HeatmapNeeds needsOf(const HeatmapScene& scene, const QFont& font)
{
    const QFontMetricsF metrics{font};
    HeatmapNeeds needs;
    needs.squares = std::max<int>(1, static_cast<int>(scene.squares.size()));
    std::size_t bands = 0;
    for (const HeatmapSquare& square : scene.squares)
        bands = std::max(bands, square.layout.bands.size());
    needs.bands = static_cast<int>(bands);
    needs.line_height = std::ceil(metrics.height());
    needs.tick_width =
        metrics.horizontalAdvance(QString::number(std::max<std::int64_t>(10, scene.ranks - 1)));
    needs.legend_width = 0.0;
    for (int ticks = 2; ticks <= most_legend_ticks; ++ticks) // as many as a bar of any height has
        for (const HeatTick& tick : heatTicks(scene.span, ticks))
            needs.legend_width = std::max(needs.legend_width, metrics.horizontalAdvance(tick.label));
    needs.axis_titles = axisTitlesWidth(scene.isByNode(), font);
    const TotalsColumns columns = columnsOf(scene, font);
    needs.totals_width = columns.name + 2 * columns.number;
    needs.totals_lines = static_cast<int>(scene.totals.size());
    needs.links_lines = static_cast<int>(scene.links.size());
    needs.busy_lines = static_cast<int>(scene.busy.size());
    needs.has_titles = scene.squares.size() > 1;
    return needs;
}

void paintHeatmap(QPainter& painter, const HeatmapScene& scene, const HeatmapLayout& layout,
                  const RankWindow& window, const std::vector<TrafficGrid>& grids, const HeatmapStyle& style)
{
    painter.setFont(style.font);
    paintHeadline(painter, layout.headline, scene, style);
    for (std::size_t i = 0; i < std::min(grids.size(), layout.squares.size()); ++i) {
        const SquareLayout& of_square = scene.squares[i].layout;
        paintSquare(painter, layout.squares[i], {scene, i}, grids[i], window, style);
        paintTitle(painter, layout.titles[i], scene.squares[i], style);
        paintColumnAxis(painter, layout.squares[i], of_square, layout, window, style, tick_spacing);
    }
    if (!layout.squares.empty())
        paintRowAxis(painter, layout.squares.front(), scene.squares.front().layout, scene.ranks, layout,
                     window, style, tick_spacing);
    paintColourBar(painter, layout.colour_bar, scene.span, style);
    paintTables(painter, layout, scene, style);
}

void paintRankMark(QPainter& painter, const HeatmapScene& scene, const HeatmapLayout& layout,
                   const RankWindow& window, const HeatmapStyle& style)
{
    if (!scene.rank)
        return;
    const QColor strong = style.theme.text();
    QColor veil = strong;
    veil.setAlpha(style.theme.isDark() ? 60 : 40);
    for (std::size_t i = 0; i < std::min(scene.squares.size(), layout.squares.size()); ++i) {
        const QRectF& square = layout.squares[i];
        const auto place = static_cast<double>(scene.squares[i].layout.placeOf(*scene.rank));
        const double size = square.width();
        const double cell = std::max(1.0, size / window.span);
        const double x = square.left() + pixelOfRank(place, window.first_column, window.span, size);
        const double y = square.top() + pixelOfRank(place, window.first_row, window.span, size);
        const QRectF row = QRectF{square.left(), y, size, cell} & square;
        const QRectF column = QRectF{x, square.top(), cell, size} & square;
        painter.fillRect(row, veil);
        painter.fillRect(column, veil);
        // Notches on the edges point at the rank however thin its row is.
        for (const double edge : {square.left() - 5.0, square.right() + 1.0})
            if (!row.isEmpty())
                painter.fillRect(QRectF{edge, row.top(), 4.0, std::max(2.0, row.height())}, strong);
        for (const double edge : {square.top() - 5.0, square.bottom() + 1.0})
            if (!column.isEmpty())
                painter.fillRect(QRectF{column.left(), edge, std::max(2.0, column.width()), 4.0}, strong);
    }
}

void paintHint(QPainter& painter, const QRectF& area, const QString& hint, const HeatmapStyle& style)
{
    painter.setFont(style.font);
    painter.setPen(style.theme.faintText());
    painter.drawText(area.adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, hint);
}

} // namespace shardscope

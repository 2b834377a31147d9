#include "widgets/plots/heatmap/square_painting.h"

#include "widgets/plots/bars/bar_painting.h"
#include "widgets/plots/heatmap/signed_bytes.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr int most_cells_as_rectangles = 128;   // each way
constexpr double least_lines_of_a_number = 2.0; // in a cell: it stands free, not like a table
constexpr double number_margin = 4.0;           // left and right together

QRgb colourOf(float bytes, unsigned char presence, const HeatSpan& span, const HeatColours& colours,
              QRgb nothing, QRgb other)
{
    if ((presence & TrafficGrid::shown) != 0)
        return colours[static_cast<std::size_t>(span.colourOf(bytes))];
    return (presence & TrafficGrid::other) != 0 ? other : nothing;
}

// Where the bins of a grid stand in the square; reaches beyond it where a rank is cut.
QRectF gridRectangle(const TrafficGrid& grid, const RankWindow& window, const QRectF& square)
{
    const double size = square.width();
    const double left =
        pixelOfRank(static_cast<double>(grid.first_column), window.first_column, window.span, size);
    const double top = pixelOfRank(static_cast<double>(grid.first_row), window.first_row, window.span, size);
    const double side = static_cast<double>(grid.span) * size / window.span;
    return {square.left() + left, square.top() + top, side, side};
}

void paintCells(QPainter& painter, const QImage& image, const QRectF& target)
{
    const double side = target.width() / image.width();
    for (int row = 0; row < image.height(); ++row)
        for (int column = 0; column < image.width(); ++column)
            if (const QRgb colour = image.pixel(column, row); qAlpha(colour) > 0)
                painter.fillRect(QRectF{target.left() + column * side, target.top() + row * side, side, side},
                                 QColor::fromRgb(colour));
}

// Blocks on the diagonal, stronger than those of nodes.
void paintPods(QPainter& painter, const QRectF& square, const SquareLayout& layout,
               std::int64_t nodes_per_pod, const RankWindow& window, const Theme& theme)
{
    const std::int64_t step =
        nodeBorderStep(layout.gpus_per_node * nodes_per_pod, window.span, square.width());
    if (step == 0 || step >= layout.ranks)
        return;
    painter.setPen(QPen{theme.text(), 2.0});
    painter.setBrush(Qt::NoBrush);
    const auto first = static_cast<std::int64_t>(std::min(window.first_row, window.first_column)) / step;
    const double last = std::max(window.first_row, window.first_column) + window.span;
    for (std::int64_t rank = first * step; rank < layout.ranks && static_cast<double>(rank) <= last;
         rank += step) {
        const auto place = static_cast<double>(rank);
        const double side =
            static_cast<double>(std::min(step, layout.ranks - rank)) * square.width() / window.span;
        painter.drawRect(QRectF{
            square.left() + pixelOfRank(place, window.first_column, window.span, square.width()),
            square.top() + pixelOfRank(place, window.first_row, window.span, square.width()), side, side});
    }
}

void paintNodes(QPainter& painter, const QRectF& square, std::int64_t gpus_per_node, const RankWindow& window,
                std::int64_t ranks, const Theme& theme)
{
    const double size = square.width();
    const std::int64_t step = nodeBorderStep(gpus_per_node, window.span, size);
    if (step == 0 || step >= ranks)
        return;
    QColor faint = theme.text();
    faint.setAlpha(theme.isDark() ? 34 : 26);
    QColor strong = theme.text();
    strong.setAlpha(130);
    const auto first = static_cast<std::int64_t>(std::min(window.first_row, window.first_column)) / step;
    const double last = std::max(window.first_row, window.first_column) + window.span;
    for (std::int64_t rank = first * step; rank <= ranks && static_cast<double>(rank) <= last; rank += step) {
        const double x =
            square.left() + pixelOfRank(static_cast<double>(rank), window.first_column, window.span, size);
        const double y =
            square.top() + pixelOfRank(static_cast<double>(rank), window.first_row, window.span, size);
        painter.fillRect(QRectF{std::round(x), square.top(), 1.0, size}, faint);
        painter.fillRect(QRectF{square.left(), std::round(y), size, 1.0}, faint);
        // Traffic inside a node lies in the block on the diagonal.
        const double side = static_cast<double>(std::min(step, ranks - rank)) * size / window.span;
        if (rank < ranks && side >= 8.0) {
            painter.setPen(QPen{strong, 1.0});
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(
                QRectF{std::round(x) + 0.5, std::round(y) + 0.5, std::round(side), std::round(side)});
        }
    }
}

// A pooled square as a picture, one pixel a bin; clear where nothing is sent.
QImage heatmapImage(const TrafficGrid& grid, const HeatSpan& span, const Theme& theme)
{
    const HeatColours& colours =
        span.diverging ? divergingColours(theme.isDark()) : sequentialColours(theme.isDark());
    constexpr QRgb nothing = 0;
    const QRgb other = blend(theme.background(), theme.text(), theme.isDark() ? 0.13 : 0.10).rgb();
    QImage image{grid.bins, grid.bins, QImage::Format_ARGB32_Premultiplied};
    std::size_t bin = 0;
    for (int row = 0; row < grid.bins; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < grid.bins; ++column, ++bin)
            line[column] = grid.presence[bin] == 0
                               ? nothing
                               : colourOf(grid.bytes[bin], grid.presence[bin], span, colours, nothing, other);
    }
    return image;
}

// Rows of senders that nobody recorded: white would say that they send nothing.
void paintUnknownRows(QPainter& painter, const QRectF& square, const TrafficRows& rows, std::int64_t ranks,
                      const RankWindow& window, const HeatmapStyle& style)
{
    if (rows.knowsAll())
        return;
    const QColor stripe = blend(style.theme.background(), style.theme.text(), 0.22);
    const auto first = static_cast<std::int64_t>(window.first_row);
    const auto last = std::min(ranks, static_cast<std::int64_t>(std::ceil(window.first_row + window.span)));
    const auto edgeOf = [&](std::int64_t row) {
        return square.top()
               + pixelOfRank(static_cast<double>(row), window.first_row, window.span, square.height());
    };
    for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t from = row;
        while (row < last && !rows.knows(row))
            ++row;
        if (row > from)
            fillStriped(painter,
                        QRectF{square.left(), edgeOf(from), square.width(), edgeOf(row) - edgeOf(from)},
                        stripe, style.theme.background(), style.is_vector);
    }
}

// What a node sends itself, where that is left out.
void paintDiagonal(QPainter& painter, const QRectF& square, std::int64_t places, const RankWindow& window,
                   const Theme& theme)
{
    const QColor pale = blend(theme.background(), theme.text(), theme.isDark() ? 0.13 : 0.10);
    const double size = square.width();
    const auto step = std::max<std::int64_t>(1, static_cast<std::int64_t>(window.span / size));
    const auto first = static_cast<std::int64_t>(std::max(window.first_row, window.first_column));
    const double end = std::min(window.first_row, window.first_column) + window.span;
    const double side = static_cast<double>(step) * size / window.span;
    for (std::int64_t place = first; place < places && static_cast<double>(place) < end; place += step) {
        const auto at = static_cast<double>(place);
        painter.fillRect(QRectF{square.left() + pixelOfRank(at, window.first_column, window.span, size),
                                square.top() + pixelOfRank(at, window.first_row, window.span, size), side,
                                side},
                         pale);
    }
}

// Bytes written onto cells that are large enough.
void paintNumbers(QPainter& painter, const QRectF& target, const TrafficGrid& grid, const HeatSpan& span,
                  const HeatmapStyle& style)
{
    const double side = target.width() / std::max(1, grid.bins);
    const QFontMetricsF metrics{style.font};
    if (grid.bins < grid.span || side < least_lines_of_a_number * metrics.height())
        return;
    const HeatColours& colours =
        span.diverging ? divergingColours(style.theme.isDark()) : sequentialColours(style.theme.isDark());
    for (int row = 0; row < grid.bins; ++row)
        for (int column = 0; column < grid.bins; ++column) {
            const auto bin = static_cast<std::size_t>(row * grid.bins + column);
            if ((grid.presence[bin] & TrafficGrid::shown) == 0)
                continue;
            const double bytes = grid.bytes[bin];
            const QString text = signedBytes(bytes, span.diverging);
            if (metrics.horizontalAdvance(text) + number_margin > side)
                continue;
            painter.setPen(
                style.theme.textOn(QColor::fromRgb(colours[static_cast<std::size_t>(span.colourOf(bytes))])));
            painter.drawText(QRectF{target.left() + column * side, target.top() + row * side, side, side},
                             Qt::AlignCenter, text);
        }
}

} // namespace

void paintSquare(QPainter& painter, const QRectF& square, const SquareOfScene& of_scene,
                 const TrafficGrid& grid, const RankWindow& window, const HeatmapStyle& style)
{
    const HeatmapScene& scene = of_scene.scene;
    const SquareLayout& layout = of_scene.square().layout;
    painter.save();
    painter.setClipRect(square);
    painter.fillRect(square, style.theme.background());
    paintUnknownRows(painter, square, *of_scene.square().rows, layout.ranks, window, style);
    if (scene.leaves_out_own)
        paintDiagonal(painter, square, layout.ranks, window, style.theme);
    const QImage image = heatmapImage(grid, scene.span, style.theme);
    const QRectF target = gridRectangle(grid, window, square);
    if (style.is_vector && grid.bins <= most_cells_as_rectangles)
        paintCells(painter, image, target);
    else
        painter.drawImage(target, image);
    paintNumbers(painter, target, grid, scene.span, style);
    paintNodes(painter, square, layout.gpus_per_node, window, layout.ranks, style.theme);
    paintPods(painter, square, layout, scene.nodes_per_pod, window, style.theme);
    painter.restore();
    painter.setPen(QPen{blend(style.theme.background(), style.theme.text(), 0.45), 1.0});
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(square.adjusted(-0.5, -0.5, 0.5, 0.5));
}

} // namespace shardscope

#include "widgets/plots/heatmap_axes.h"

#include "core/scenario/rank_order.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double narrowest_block = 3.0; // pixels; finer bands are left empty

QString nameOf(Dimension dimension)
{
    const std::string_view name = word(dimension);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

// A stretch of ranks with one coordinate, cut to what is on screen, in pixels along the axis. Blocks too fine
// to see are none.
struct Block {
    double from = 0.0;
    double to = 0.0;
    std::int64_t place = 0;
};

std::vector<Block> blocksOf(const AxisBand& band, double first, double span, double size, std::int64_t ranks)
{
    std::vector<Block> blocks;
    const auto block = static_cast<double>(band.block);
    if (block * size / span < narrowest_block)
        return blocks;
    for (auto index = static_cast<std::int64_t>(std::max(0.0, std::floor(first / block)));; ++index) {
        const double from = static_cast<double>(index) * block;
        if (from >= first + span || from >= static_cast<double>(ranks))
            return blocks;
        blocks.push_back({std::max(0.0, pixelOfRank(from, first, span, size)),
                          std::min(size, pixelOfRank(from + block, first, span, size)), index % band.size});
    }
}

// Draws one band into a rectangle that lies along the x axis; the row axis turns the painter.
void paintBand(QPainter& painter, const QRectF& strip, const AxisBand& band, const std::vector<Block>& blocks,
               const HeatmapStyle& style)
{
    const QFontMetricsF metrics{style.font};
    QColor even = style.theme.text();
    even.setAlpha(style.theme.isDark() ? 38 : 22);
    QColor odd = style.theme.text();
    odd.setAlpha(style.theme.isDark() ? 20 : 10);
    if (blocks.empty())
        painter.fillRect(strip.adjusted(0.0, 1.0, -1.0, -1.0), odd);
    for (const Block& block : blocks) {
        const QRectF box{strip.left() + block.from, strip.top() + 1.0,
                         std::max(1.0, block.to - block.from - 1.0), strip.height() - 2.0};
        painter.fillRect(box, block.place % 2 == 0 ? even : odd);
        const QString number = QString::number(block.place);
        const QString full = nameOf(band.dimension) + QLatin1Char(' ') + number;
        painter.setPen(style.theme.faintText());
        if (metrics.horizontalAdvance(full) + 6.0 <= box.width())
            painter.drawText(box, Qt::AlignCenter, full);
        else if (metrics.horizontalAdvance(number) + 2.0 <= box.width())
            painter.drawText(box, Qt::AlignCenter, number);
    }
}

} // namespace

void paintColumnAxis(QPainter& painter, const QRectF& square, const HeatmapScene& scene,
                     const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                     double tick_spacing)
{
    const QFontMetricsF metrics{style.font};
    const double size = square.width();
    const double spacing = std::max(tick_spacing, layout.tick_space + 4.0);
    painter.setPen(style.theme.faintText());
    for (const std::int64_t rank : rankTicks(window.first_column, window.span, size, spacing, scene.ranks)) {
        const double x =
            square.left()
            + pixelOfRank(static_cast<double>(rank) + 0.5, window.first_column, window.span, size);
        painter.drawText(QRectF{x - 40.0, square.bottom() + 3.0, 80.0, metrics.height()},
                         Qt::AlignHCenter | Qt::AlignTop, QString::number(rank));
    }
    if (layout.band_width <= 0.0)
        return;
    double top = square.bottom() + 4.0 + metrics.height();
    for (auto band = scene.bands.rbegin(); band != scene.bands.rend(); ++band, top += layout.band_width) {
        // The first square has room at its left to say what the band counts.
        if (&square == &layout.squares.front()) {
            painter.setPen(style.theme.faintText());
            painter.drawText(QRectF{square.left() - 40.0, top, 35.0, layout.band_width},
                             Qt::AlignRight | Qt::AlignVCenter, nameOf(band->dimension));
        }
        paintBand(painter, {square.left(), top, size, layout.band_width}, *band,
                  blocksOf(*band, window.first_column, window.span, size, scene.ranks), style);
    }
}

void paintRowAxis(QPainter& painter, const QRectF& square, const HeatmapScene& scene,
                  const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                  double tick_spacing)
{
    const QFontMetricsF metrics{style.font};
    const double size = square.height();
    painter.setPen(style.theme.faintText());
    for (const std::int64_t rank : rankTicks(window.first_row, window.span, size,
                                             std::min(tick_spacing, 2 * metrics.height()), scene.ranks)) {
        const double y =
            square.top() + pixelOfRank(static_cast<double>(rank) + 0.5, window.first_row, window.span, size);
        const double top = std::clamp(y - metrics.height() / 2, square.top() - 3.0,
                                      square.bottom() - metrics.height() + 3.0);
        painter.drawText(
            QRectF{square.left() - layout.tick_space, top, layout.tick_space - 5.0, metrics.height()},
            Qt::AlignRight | Qt::AlignVCenter, QString::number(rank));
    }
    if (layout.band_width <= 0.0)
        return;
    double right = square.left() - layout.tick_space;
    for (auto band = scene.bands.rbegin(); band != scene.bands.rend(); ++band, right -= layout.band_width) {
        // Read from top to bottom, as ranks run.
        painter.save();
        painter.translate(right, square.top());
        painter.rotate(90.0);
        paintBand(painter, {0.0, 0.0, size, layout.band_width}, *band,
                  blocksOf(*band, window.first_row, window.span, size, scene.ranks), style);
        painter.restore();
    }
}

} // namespace shardscope

#include "widgets/plots/heatmap/heatmap_axes.h"

#include "widgets/session/shown_text.h"

#include "core/scenario/rank_order.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <optional>

namespace shardscope
{

namespace
{

struct AxisTitles {
    const char* row;
    const char* column;
};

constexpr AxisTitles titlesOf(bool is_by_node)
{
    return is_by_node ? AxisTitles{"from node", "to node"} : AxisTitles{"sender", "receiver"};
}

constexpr double narrowest_block = 3.0; // pixels; finer bands are left empty

QString nameOf(Dimension dimension)
{
    return toQString(word(dimension));
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

// What is written on a band: names with numbers, or numbers alone, on every `step`-th place.
struct BandLabels {
    QString prefix;
    std::int64_t step = 1;
};

// Nothing where a part of the numbers would mislead.
std::optional<BandLabels> labelsOf(const AxisBand& band, double place_pixels, std::int64_t ranks,
                                   const QFontMetricsF& metrics)
{
    const QString widest = QString::number(std::max<std::int64_t>(0, band.size - 1));
    const QString prefix = nameOf(band.dimension) + QLatin1Char(' ');
    if (metrics.horizontalAdvance(prefix + widest) + 6.0 <= place_pixels)
        return BandLabels{prefix, 1};
    const std::int64_t step =
        bandLabelStep(metrics.horizontalAdvance(widest) + 3.0, place_pixels, band, ranks);
    return step > 0 ? std::optional{BandLabels{{}, step}} : std::nullopt;
}

// Draws one band into a rectangle that lies along the x axis; the row axis turns the painter. A place is so
// many pixels long where no edge cuts it.
void paintBand(QPainter& painter, const QRectF& strip, const AxisBand& band, const std::vector<Block>& blocks,
               double place_pixels, std::int64_t ranks, const HeatmapStyle& style)
{
    const QFontMetricsF metrics{style.font};
    QColor even = style.theme.text();
    even.setAlpha(style.theme.isDark() ? 38 : 22);
    QColor odd = style.theme.text();
    odd.setAlpha(style.theme.isDark() ? 20 : 10);
    if (blocks.empty())
        painter.fillRect(strip.adjusted(0.0, 1.0, -1.0, -1.0), odd);
    const std::optional<BandLabels> labels = labelsOf(band, place_pixels, ranks, metrics);
    for (const Block& block : blocks) {
        const QRectF box{strip.left() + block.from, strip.top() + 1.0,
                         std::max(1.0, block.to - block.from - 1.0), strip.height() - 2.0};
        painter.fillRect(box, block.place % 2 == 0 ? even : odd);
        if (!labels || block.place % labels->step != 0)
            continue;
        const QString text = labels->prefix + QString::number(block.place);
        const double width = metrics.horizontalAdvance(text);
        const double room = labels->step == 1 ? box.width() : block.to - block.from + place_pixels;
        if (width + 2.0 > room)
            continue;
        painter.setPen(style.theme.faintText());
        painter.drawText(box.adjusted(-width, 0.0, width, 0.0), Qt::AlignCenter, text);
    }
}

// In the corners at the left: above the numbers of the rows, beside those of the columns.
void paintAxisTitle(QPainter& painter, const char* words, double right, double top, const HeatmapStyle& style)
{
    const QFontMetricsF metrics{style.font};
    const QString title = QString::fromUtf8(words);
    const double width = metrics.horizontalAdvance(title);
    painter.setPen(style.theme.faintText());
    painter.drawText(QRectF{right - width - 1.0, top, width + 1.0, metrics.height()},
                     Qt::AlignRight | Qt::AlignVCenter, title);
}

} // namespace

double axisTitlesWidth(bool is_by_node, const QFont& font)
{
    const QFontMetricsF metrics{font};
    const AxisTitles titles = titlesOf(is_by_node);
    return std::max(metrics.horizontalAdvance(QString::fromUtf8(titles.row)),
                    metrics.horizontalAdvance(QString::fromUtf8(titles.column)));
}

std::int64_t bandLabelStep(double label_pixels, double place_pixels, const AxisBand& band, std::int64_t ranks)
{
    const double least = std::max(1.0, label_pixels / std::max(place_pixels, 0.01));
    const auto step = static_cast<std::int64_t>(std::exp2(std::ceil(std::log2(least) - 1e-9)));
    const bool counts_on = band.block * band.size >= ranks;
    return step == 1 || (counts_on && step < band.size) ? step : 0;
}

void paintColumnAxis(QPainter& painter, const QRectF& square, const SquareLayout& of_square,
                     const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                     double tick_spacing)
{
    const QFontMetricsF metrics{style.font};
    const double size = square.width();
    const double spacing = std::max(tick_spacing, layout.tick_space + 4.0);
    painter.setPen(style.theme.faintText());
    for (const std::int64_t rank :
         rankTicks(window.first_column, window.span, size, spacing, of_square.ranks)) {
        const double x =
            square.left()
            + pixelOfRank(static_cast<double>(rank) + 0.5, window.first_column, window.span, size);
        painter.drawText(QRectF{x - 40.0, square.bottom() + 3.0, 80.0, metrics.height()},
                         Qt::AlignHCenter | Qt::AlignTop, QString::number(rank));
    }
    if (layout.has_axis_titles && &square == &layout.squares.front())
        paintAxisTitle(painter, titlesOf(of_square.nodes.has_value()).column, square.left() - 6.0,
                       square.bottom() + 3.0, style);
    if (layout.band_width <= 0.0)
        return;
    double top = square.bottom() + 4.0 + metrics.height();
    for (auto band = of_square.bands.rbegin(); band != of_square.bands.rend();
         ++band, top += layout.band_width) {
        // The first square has room at its left to say what the band counts.
        if (&square == &layout.squares.front()) {
            painter.setPen(style.theme.faintText());
            painter.drawText(QRectF{square.left() - 40.0, top, 35.0, layout.band_width},
                             Qt::AlignRight | Qt::AlignVCenter, nameOf(band->dimension));
        }
        paintBand(painter, {square.left(), top, size, layout.band_width}, *band,
                  blocksOf(*band, window.first_column, window.span, size, of_square.ranks),
                  static_cast<double>(band->block) * size / window.span, of_square.ranks, style);
    }
}

void paintRowAxis(QPainter& painter, const QRectF& square, const SquareLayout& of_square, std::int64_t ranks,
                  const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                  double tick_spacing)
{
    const QFontMetricsF metrics{style.font};
    const double size = square.height();
    painter.setPen(style.theme.faintText());
    for (const std::int64_t rank : rankTicks(window.first_row, window.span, size,
                                             std::min(tick_spacing, 2 * metrics.height()), ranks)) {
        const double y =
            square.top() + pixelOfRank(static_cast<double>(rank) + 0.5, window.first_row, window.span, size);
        const double top = std::clamp(y - metrics.height() / 2, square.top() - 3.0,
                                      square.bottom() - metrics.height() + 3.0);
        painter.drawText(
            QRectF{square.left() - layout.tick_space, top, layout.tick_space - 5.0, metrics.height()},
            Qt::AlignRight | Qt::AlignVCenter, QString::number(rank));
    }
    if (layout.has_axis_titles)
        paintAxisTitle(painter, titlesOf(of_square.nodes.has_value()).row, square.left() - 5.0,
                       square.top() - metrics.height() - 3.0, style);
    if (layout.band_width <= 0.0)
        return;
    double right = square.left() - layout.tick_space;
    for (auto band = of_square.bands.rbegin(); band != of_square.bands.rend();
         ++band, right -= layout.band_width) {
        // Read from top to bottom, as ranks run.
        painter.save();
        painter.translate(right, square.top());
        painter.rotate(90.0);
        paintBand(painter, {0.0, 0.0, size, layout.band_width}, *band,
                  blocksOf(*band, window.first_row, window.span, size, of_square.ranks),
                  static_cast<double>(band->block) * size / window.span, of_square.ranks, style);
        painter.restore();
    }
}

} // namespace shardscope

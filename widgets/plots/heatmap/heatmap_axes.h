#pragma once

#include "widgets/plots/heatmap/heatmap_painting.h"

namespace shardscope
{

// Rank numbers and, outside of them, a band for each dimension of the square's layout, outermost dimension
// outside. The rows are those of all squares: `ranks` of them are numbered.
void paintRowAxis(QPainter& painter, const QRectF& square, const SquareLayout& of_square, std::int64_t ranks,
                  const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                  double tick_spacing);
void paintColumnAxis(QPainter& painter, const QRectF& square, const SquareLayout& of_square,
                     const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                     double tick_spacing);

// Of the longer one.
double axisTitlesWidth(bool is_by_node, const QFont& font);

// Every how many-th place of a band is numbered, where a number takes so many pixels and a place so many: a
// power of two. 0: none, as "0 2 0 2" would read like two places; only a band that counts once along all
// ranks may leave some out.
std::int64_t bandLabelStep(double label_pixels, double place_pixels, const AxisBand& band,
                           std::int64_t ranks);

} // namespace shardscope

#pragma once

#include "widgets/plots/heatmap_painting.h"

namespace shardscope
{

// Rank numbers and, outside of them, a band for each dimension of the layout, outermost dimension outside.
void paintRowAxis(QPainter& painter, const QRectF& square, const HeatmapScene& scene,
                  const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                  double tick_spacing);
void paintColumnAxis(QPainter& painter, const QRectF& square, const HeatmapScene& scene,
                     const HeatmapLayout& layout, const RankWindow& window, const HeatmapStyle& style,
                     double tick_spacing);

} // namespace shardscope

#pragma once

#include "widgets/plots/heatmap/heatmap_layout.h"
#include "widgets/plots/heatmap/heatmap_scene.h"
#include "widgets/plots/theme.h"

#include <QFont>

class QPainter;

namespace shardscope
{

struct HeatmapStyle {
    Theme theme;
    QFont font;
    bool is_vector = false; // for SVG and PDF: cells as rectangles where they are few
};

// What the parts of a scene need, measured in the style's font.
HeatmapNeeds needsOf(const HeatmapScene& scene, const QFont& font);

// Everything but marks and what follows the mouse. `grids` are the scene's squares, pooled for the window.
void paintHeatmap(QPainter& painter, const HeatmapScene& scene, const HeatmapLayout& layout,
                  const RankWindow& window, const std::vector<TrafficGrid>& grids, const HeatmapStyle& style);
// The marked rank's row and column, or its node's.
void paintRankMark(QPainter& painter, const HeatmapScene& scene, const HeatmapLayout& layout,
                   const RankWindow& window, const HeatmapStyle& style);
// The hint of an empty scene.
void paintHint(QPainter& painter, const QRectF& area, const QString& hint, const HeatmapStyle& style);

} // namespace shardscope

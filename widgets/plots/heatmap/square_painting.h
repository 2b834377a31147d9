#pragma once

#include "widgets/plots/heatmap/heatmap_painting.h"

namespace shardscope
{

struct SquareOfScene {
    const HeatmapScene& scene;
    std::size_t place = 0; // in scene.squares

    const HeatmapSquare& square() const { return scene.squares[place]; }
};

// The cells of a square with their bytes where these have room, what is not known, and the borders of nodes
// and pods.
void paintSquare(QPainter& painter, const QRectF& square, const SquareOfScene& of_scene,
                 const TrafficGrid& grid, const RankWindow& window, const HeatmapStyle& style);

} // namespace shardscope

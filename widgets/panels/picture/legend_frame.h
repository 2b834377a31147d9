#pragma once

#include <QRectF>

class QPainter;

namespace shardscope
{

class LegendChips;

inline constexpr double legend_margin = 6.0;

// Draws the ground of a picture and the legend above it, for what leaves the window; returns the room below.
QRectF paintLegendFrame(QPainter& painter, const QRectF& rectangle, const LegendChips& legend);

} // namespace shardscope

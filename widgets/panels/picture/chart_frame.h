#pragma once

#include <QRectF>

class QPainter;

namespace shardscope
{

class BarChart;
class LegendChips;

// A legend above its chart, drawn into a rectangle.
void paintChart(QPainter& painter, const QRectF& rectangle, const LegendChips& legend, BarChart& chart);

} // namespace shardscope

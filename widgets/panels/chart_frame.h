#pragma once

#include <QRectF>

class QPainter;
class QWidget;

namespace shardscope
{

class BarChart;
class LegendChips;

// A legend above its chart, with the same margins in every panel. `right` may stand beside the legend.
void layOutChart(QWidget* panel, LegendChips* legend, BarChart* chart, QWidget* right = nullptr);

// The same two, drawn into a rectangle.
void paintChart(QPainter& painter, const QRectF& rectangle, const LegendChips& legend, BarChart& chart);

} // namespace shardscope

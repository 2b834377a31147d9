#pragma once

#include "widgets/plots/maps/map_scene.h"
#include "widgets/plots/theme.h"

#include <QFont>
#include <QImage>
#include <QRectF>
#include <QStringList>

class QPainter;

namespace shardscope
{

struct MapStyle {
    Theme theme;
    QFont font;
    MapCellPlace current; // under the mouse or the keys
};

// Where the parts of a map stand in a rectangle.
struct MapLayout {
    QRectF cells;
    QRectF colour_bar;
    QRectF note; // above the cells and the names of their blocks
    QStringList note_lines;
};
MapLayout layOutMap(const MapScene& scene, const QRectF& rectangle, const QFont& font);

// The cell below a point; none outside the cells.
MapCellPlace mapCellAt(const MapScene& scene, const QRectF& cells, QPointF point);
QRectF mapCellRectangle(const MapScene& scene, const QRectF& cells, MapCellPlace place);

// A pixel for each cell, the first row at the bottom.
QImage mapImage(const MapScene& scene, const Theme& theme);

// `image` is mapImage() of the scene. Without it cells are drawn one by one: as vectors.
void paintMap(QPainter& painter, const MapScene& scene, const QRectF& rectangle, const MapStyle& style,
              const QImage* image);

} // namespace shardscope

#pragma once

#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/theme.h"

#include <QFont>

class QPainter;
class QPen;

namespace shardscope
{

struct BarStyle {
    Theme theme;
    QFont font;
    bool is_vector = false; // for SVG and PDF: stripes as lines, not as a pattern of pixels
    int highlighted_bar = -1;
    int highlighted_segment = -1;
    int note_lines = 1; // that stand free above the chart
};

// Draws bars with their texts, marks, limit and whiskers into the mapping's area, the note above it; axes are
// the chart's. Pre: `placed` is placeSegments(scene, mapping).
void paintBars(QPainter& painter, const BarScene& scene, const BarMapping& mapping,
               const std::vector<PlacedSegment>& placed, const BarStyle& style);

// That marks are drawn with, in a legend too.
QPen markPen(const QColor& colour, bool is_dashed);

// Diagonal stripes of `colour` over a light ground of it.
void fillStriped(QPainter& painter, const QRectF& rectangle, const QColor& colour, const QColor& ground,
                 bool is_vector);

} // namespace shardscope

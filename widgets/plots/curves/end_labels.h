#pragma once

#include "widgets/plots/curves/curve_painting.h"

#include <QFont>
#include <QPointF>
#include <QRectF>

#include <vector>

class QPainter;

namespace shardscope
{

// A label beside the right end of its line, with a sample of the line where lines differ by their dashes.
struct EndLabel {
    QPointF end; // of the line
    QRectF box;  // of the text
    int line = 0;
    bool is_moved = false; // others push it away: a leader joins it to its line
};

// What labels take of a picture's width, with the gap before them.
double endLabelRoom(const CurveScene& scene, double width, const QFont& font);
// In the order of their lines' ends, none over another. Where not all have room, the thin lines' are left
// out first, the last of them before the others.
std::vector<EndLabel> endLabels(const CurveScene& scene, const CurveMapping& mapping, double width,
                                const QFont& font);
void paintEndLabels(QPainter& painter, const CurveScene& scene, const std::vector<EndLabel>& labels);

} // namespace shardscope

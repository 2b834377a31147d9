#pragma once

#include "widgets/plots/timeline/timeline_painting.h"

#include <vector>

namespace shardscope
{

// Thin lines down through all lanes, at pixels of the painter.
struct LaneLines {
    std::vector<int> places; // from the left edge of the lanes
    QColor colour;           // may be translucent
};

// Writes strips into an image. In each column the paints stand on each other, each as high as its share of
// the column's time; what is left above is the ground. The cost is that of the columns and of copying lines,
// not of choosing a colour for each pixel. Strips are in order of their tops; the lines between them get the
// ground.
void fillStrips(QImage& image, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const TimelineStyle& style);
// The same as rectangles, for SVG and PDF.
void fillStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const TimelineStyle& style);

} // namespace shardscope

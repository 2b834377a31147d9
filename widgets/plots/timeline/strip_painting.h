#pragma once

#include "widgets/plots/timeline/timeline_painting.h"

#include <array>
#include <vector>

namespace shardscope
{

// The colour of every shade, kept from frame to frame.
class ShadeColours
{
public:
    // Costs something only when the style has other colours than the one before.
    void use(const TimelineStyle& style);
    QRgb of(Shade shade) const { return m_table[shade.code()]; } // of a waiting one the ground of its stripes
    QRgb ground() const { return m_ground; }

private:
    LaneColours m_colours;
    QRgb m_ground = 0;
    std::vector<QRgb> m_table; // by code
};

// Thin lines down through all lanes, at pixels of the painter.
struct LaneLines {
    std::vector<int> places; // from the left edge of the lanes
    QColor colour;           // may be translucent
};

// Writes strips into an image line by line: the cost is that of the pixels, and a row is coloured once and
// copied. Strips are in order of their tops; the lines between them get the ground.
void fillStrips(QImage& image, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const ShadeColours& colours, const TimelineStyle& style);
// The same as rectangles, for SVG and PDF.
void fillStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const ShadeColours& colours, const TimelineStyle& style);

} // namespace shardscope

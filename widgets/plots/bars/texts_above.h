#pragma once

#include "widgets/plots/bars/bar_scene.h"

#include <QFont>
#include <QFontMetricsF>

namespace shardscope
{

// The room that horizontal bars leave above themselves for their caption.
double captionHeight(const QFont& font);

// The line above a horizontal bar: its caption, and as much of its remark as has room.
struct CaptionAbove {
    QRectF rectangle;
    double remark_left = 0.0;
    QString remark;
    bool is_cut = false;
};

// Pre: the mapping's bars are horizontal.
CaptionAbove captionAbove(const Bar& bar, const BarMapping& mapping, const QFont& font);

// Lines that the note takes above a chart so wide and high: as many as it needs and the bars can spare; 0:
// there is no note.
int linesOfNote(const BarScene& scene, const QFontMetricsF& metrics, double area_width, double height);

} // namespace shardscope

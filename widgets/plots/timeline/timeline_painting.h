#pragma once

#include "widgets/plots/timeline/lane_paint.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include <QFont>
#include <QHash>
#include <QRect>
#include <QStaticText>

#include <functional>

class QPainter;

namespace shardscope
{

struct TimelineStyle {
    Theme theme;
    QFont font;
    LaneColours colours;
    double pixel_ratio = 1.0; // device pixels, which bars are in, for each unit of the painter
};

// Where lanes are drawn: right of the gutter, scrolled down by some pixels.
struct LaneArea {
    QRect place;
    int scroll = 0;
};

// Texts that were laid out before; drawing them again costs a third.
class LabelCache
{
public:
    void draw(QPainter& painter, const QPointF& top_left, const QString& text);
    void clear() { m_texts.clear(); }

private:
    QHash<QString, QStaticText> m_texts;
};

// Names of the widest bars, at most 300 of them.
using BarLabel = std::function<QString(const TimelineSpot&)>;
void labelStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                 const BarLabel& label, const TimelineStyle& style, LabelCache& cache);

// Time marks above the lanes; the title stands in the gutter.
struct Ruler {
    QRect place;
    TimeRange range;
    TimeTicks ticks; // rulerTicks()
    QString title;
    QString note; // at the right end
};
TimeTicks rulerTicks(const TimeRange& range, int width);
void paintRuler(QPainter& painter, const Ruler& ruler, const TimelineStyle& style);

// A lane's name in the gutter, with a triangle when it opens and closes.
struct LaneTitle {
    QString name;
    QString remark; // fainter, behind the name where there is room
    bool has_triangle = false;
    bool is_open = false;
    bool is_marked = false;
    bool is_heading = false; // of lanes below
    int indent = 0;
};
void paintLaneTitle(QPainter& painter, const QRect& place, const LaneTitle& title,
                    const TimelineStyle& style);

} // namespace shardscope

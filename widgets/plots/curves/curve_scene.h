#pragma once

#include "widgets/plots/axis_ticks.h"

#include <QColor>
#include <QList>
#include <QPointF>
#include <QString>

#include <vector>

namespace shardscope
{

// A line through points, in the axes' values.
struct CurveLine {
    std::vector<QPointF> points;
    QColor colour;
    double width = 2.0;
    bool is_dashed = false;
    QList<qreal> dashes; // dashes and gaps of its own, in widths of the line
    QString label;       // at its right end; may be empty
};

// What lies between two lines that run along the same values: as far as a line may be off.
struct CurveBand {
    std::vector<QPointF> low;
    std::vector<QPointF> high;
    QColor colour;
};

// A measured point.
struct CurveMark {
    QPointF at;
    QColor colour;
};

// A place that can be dragged up and down.
struct CurveHandle {
    QPointF at;
    QColor colour;
    QString tip;
};

// What the two axes of a scene reach over.
struct CurveAxes {
    double x_low = 1.0;
    double x_high = 10.0;
    double y_low = 1.0;
    double y_high = 10.0;
    bool operator==(const CurveAxes&) const = default;
};

// What a CurveView shows: lines, marks and handles on two logarithmic axes.
struct CurveScene : CurveAxes {
    std::vector<CurveBand> bands; // beneath the lines
    std::vector<CurveLine> lines;
    std::vector<CurveMark> marks;
    std::vector<CurveHandle> handles;
    AxisUnit x_unit = AxisUnit::bytes;
    AxisUnit y_unit = AxisUnit::seconds;
    QString x_title; // below the axis, where there is room; may be empty
    QString y_title; // above the axis
    QString hint;    // instead of a picture
    QString note;    // below the title of the upright axis; the curves make room
};

} // namespace shardscope

#pragma once

#include "widgets/plots/axis_ticks.h"

#include <QColor>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace shardscope
{

// How a segment is filled: predictions are solid, measurements striped, the pinned scenario is an outline.
enum class BarTexture : std::uint8_t { solid, striped, outline };

struct BarSegment {
    double value = 0.0; // its length, in the unit of the value axis
    QColor colour;
    BarTexture texture = BarTexture::solid;
    bool faded = false; // something else is selected
    QString name;       // written into the bar where it fits: "compute"
    QString amount;     // "8.12 s"
};

// An uncertainty around the end of a bar, in the unit of the value axis.
struct Whisker {
    double low = 0.0;
    double high = 0.0;
};

// A value that was measured of what the bar predicts: a line across it.
struct BarMark {
    double value = 0.0;
    QColor colour;
    bool is_dashed = false;
};

// Segments on top of each other (or one after the other), from 0 on.
struct Bar {
    double centre = 0.0;          // on the category axis
    double thickness = 0.8;       // in units of the category axis
    double most_pixels = 10000.0; // it gets no thicker than that
    bool is_ghost = false;        // drawn first, answers no mouse
    bool is_marked = false;       // underlined
    QString caption;              // over the bar
    QString remark;               // follows the caption, less strong, where it has room
    std::vector<BarSegment> segments;
    std::optional<Whisker> whisker;
    std::vector<BarMark> marks; // ascending
};

// A line across the chart: a capacity. Beyond the range of values it is written above the bars.
struct BarLimit {
    double value = 0.0;
    QString text;
};

struct CategoryLabel {
    double position = 0.0;
    QString text; // a second line gives way where there is little room
};

// All that a bar chart shows. Plain values: the panels make it, the chart draws it.
struct BarScene {
    std::vector<Bar> bars;
    bool closes_thin_gaps = false; // bars of a few pixels, one in each category, stand edge to edge
    double category_low = 0.0;
    double category_high = 1.0;
    std::vector<CategoryLabel> category_labels; // thinned by the chart when they would touch
    bool keeps_last_label = false;              // whatever the thinning: others give way to it
    bool labels_are_names = false;              // nobody counts on from one to the next
    QString category_title;
    QString value_title;    // above the axis
    double value_low = 0.0; // above 0 on a logarithmic axis
    double value_high = 1.0;
    bool is_logarithmic = false;
    AxisUnit unit = AxisUnit::count;
    std::optional<BarLimit> limit; // what stands above it is marked
    QString note;                  // a line above the chart
    QString hint;                  // instead of everything: what to do to see something here
    // Set by the chart where it is so low that the bars would have no room beside these.
    bool leaves_out_note = false;     // nor has it the title of the categories
    bool leaves_out_captions = false; // of vertical bars, and the text of the limit
};

// Where a scene lies on the screen.
struct BarMapping {
    QRectF area;                                // inside the axes
    Qt::Orientation orientation = Qt::Vertical; // the way the bars grow
    double category_low = 0.0;
    double category_high = 1.0;
    double value_low = 0.0;
    double value_high = 1.0;
    bool is_logarithmic = false;

    // x for vertical bars, y (downwards) for horizontal ones.
    double categoryPixel(double position) const;
    // y (upwards) for vertical bars, x for horizontal ones. Below the range: its edge.
    double valuePixel(double value) const;
    double pixelsPerCategory() const;
};

BarMapping mappingOf(const BarScene& scene, Qt::Orientation orientation, const QRectF& area);

// From a bar's middle to its whisker: near the foot of a horizontal bar, below its labels; near the right
// edge of a vertical one, beside them.
double whiskerOffset(const Bar& bar, const BarMapping& mapping);
inline constexpr double half_whisker_cap = 3.5; // of its ends, in pixels

// Lines that the labels of the categories take.
int linesOfLabels(const BarScene& scene);

// Whether a line of text stands above the bars and their captions.
bool hasLineAbove(const BarScene& scene);

// Pixels by which the captions of vertical bars, a line high, stand over an area of that height. Those near
// the line of the limit stand above it, and its text above them where no line above has room for it.
double captionOverhang(const BarScene& scene, double area_height, double line);

struct PlacedSegment {
    QRectF rectangle;
    int bar = 0;
    int segment = 0;
};

// The rectangle of every segment that has a length, ghosts first. What is larger than nothing is at least a
// pixel long.
std::vector<PlacedSegment> placeSegments(const BarScene& scene, const BarMapping& mapping);

// The segment below a point, the one drawn last first; the nearest within three pixels when bars are thin.
// Nothing: none.
const PlacedSegment* segmentAt(const std::vector<PlacedSegment>& placed, const BarScene& scene,
                               QPointF point);

} // namespace shardscope

#pragma once

#include <QRect>

namespace shardscope
{

// What the parts of a timeline need.
struct TimelineNeeds {
    int line_height = 14;
    int label_width = 60; // of the longest lane label
    bool has_predicted = true;
    bool has_measured = true;
    bool has_traffic = true;
    int predicted_height = 0;      // of all lanes
    int predicted_lane_height = 0; // of each, where they are as high as each other; else 0
    int measured_height = 0;
    double predicted_share = -1.0; // of the lanes' room, as the user dragged it; below 0: what fits best
};

// Where the parts of a timeline stand. Rulers and lanes begin right of the gutter, which spans the whole
// height; parts that are not there are empty.
struct TimelineLayout {
    int gutter = 0;
    QRect predicted_ruler;
    QRect predicted_lanes;
    QRect divider; // dragged to give one section more room; only between two
    QRect measured_ruler;
    QRect measured_lanes;
    QRect traffic;
    int left() const { return gutter; }
};

// Whether traffic over time has room beneath the lanes in an area so high.
bool showsTraffic(const TimelineNeeds& needs, int height);

// Of an area in which no lane has to be scrolled to.
int wholeHeight(const TimelineNeeds& needs);

TimelineLayout layOutTimeline(const QRect& area, const TimelineNeeds& needs);

} // namespace shardscope

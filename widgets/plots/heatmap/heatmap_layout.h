#pragma once

#include <QRectF>
#include <QSizeF>

#include <vector>

namespace shardscope
{

// What a heatmap needs room for.
struct HeatmapNeeds {
    int squares = 1;
    int bands = 0;            // of coordinates along each axis
    double line_height = 14;  // of a line of text
    double tick_width = 30;   // of the longest rank number
    double legend_width = 60; // of the longest label of the colour bar
    double axis_titles = 0;   // width of the longer one; 0: none
    double totals_width = 0;  // of the table; 0: none
    int totals_lines = 0;
    int links_lines = 0; // below the totals or beside them, where there is room
    int busy_lines = 0;  // below or beside those
    bool has_titles = false;
};

// Where the parts of a heatmap stand. Parts that found no room are empty.
struct HeatmapLayout {
    QRectF headline;
    std::vector<QRectF> titles;
    std::vector<QRectF> squares;
    double band_width = 0.0; // of each band of coordinates; 0: no room for bands
    bool has_axis_titles = false;
    double tick_space = 0.0; // between square and bands, for rank numbers
    QRectF colour_bar;
    QRectF totals;
    QRectF links;
    QRectF busy;
};

// The largest squares that fit, then what is beside or below them; large squares give up a little for a table
// beside them. Small areas lose the table, then the
// titles of the axes, then the bands, then the colour bar.
HeatmapLayout layOutHeatmap(const QRectF& area, const HeatmapNeeds& needs);

} // namespace shardscope

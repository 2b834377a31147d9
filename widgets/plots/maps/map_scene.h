#pragma once

#include "widgets/plots/heat_colours.h"

#include <QString>

#include <vector>

namespace shardscope
{

// A label beside a map at a place that may lie between two cells: 0 is the middle of the first one.
struct MapTick {
    double place = 0.0;
    QString label;
};

// A run of columns or rows with a name of its own, parted from its neighbours by a line.
struct MapBlock {
    int first = 0;
    int count = 1;
    QString name;
};

// A place that is marked: the scenario's own, the pinned one.
struct MapMark {
    double column = 0.0;
    double row = 0.0;
    bool is_pinned = false;
};

// What a MapView shows: coloured cells over two axes, the first row at the bottom. Plain values.
struct MapScene {
    int columns = 0;
    int rows = 0;
    std::vector<double> values; // row after row; NaN: there is none
    std::vector<bool> pale;     // the same cells: what cannot be had; empty: none is
    HeatSpan span;
    std::vector<MapTick> x_ticks;
    std::vector<MapTick> y_ticks;
    std::vector<MapTick> colour_ticks; // place 0 to 1 along the colour bar
    std::vector<MapBlock> x_blocks;
    std::vector<MapBlock> y_blocks;
    std::vector<MapMark> marks;
    QString x_title;
    QString y_title;
    QString note; // above the cells
    QString hint; // instead of everything

    double value(int column, int row) const
    {
        return values[static_cast<std::size_t>(row * columns + column)];
    }
    bool isPale(int column, int row) const
    {
        return !pale.empty() && pale[static_cast<std::size_t>(row * columns + column)];
    }
};

struct MapCellPlace {
    int column = -1;
    int row = -1;
    bool isNone() const { return column < 0; }
    bool operator==(const MapCellPlace&) const = default;
};

} // namespace shardscope

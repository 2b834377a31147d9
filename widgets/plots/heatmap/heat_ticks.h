#pragma once

#include "widgets/plots/heat_colours.h"

#include <QString>

#include <vector>

namespace shardscope
{

// The span of a sequential picture. On a logarithmic scale it reaches over a decade at least, so that values
// a few bytes apart look alike, and over six at most: smaller values take the lowest colour, else one
// negligible cell would leave the others next to no colours.
HeatSpan sequentialSpan(double least, double most, HeatScale scale);

// A label of the colour bar at its place, 0 (bottom) to 1.
struct HeatTick {
    double place = 0.0;
    QString label;
};

// Round sizes that differ from each other, about `most` of them; "≤" before the lowest where smaller ones
// are.
std::vector<HeatTick> heatTicks(const HeatSpan& span, int most);

} // namespace shardscope

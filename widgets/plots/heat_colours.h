#pragma once

#include <QRgb>

#include <array>

namespace shardscope
{

// 256 colours from the least (index 0) to the most. Generated, not tabulated: equal steps of lightness in the
// OKLab space (B. Ottosson, "A perceptual color space for image processing", 2020), so that equal differences
// of value look equal, also to colour-blind eyes and in grey print.
using HeatColours = std::array<QRgb, 256>;

// Violet, blue, green, yellow, the way of viridis. The most traffic stands out most: darkest on a light
// ground, brightest on a dark one.
const HeatColours& sequentialColours(bool dark);
// Blue for less, a neutral grey in the middle (index 128), orange for more.
const HeatColours& divergingColours(bool dark);

// A colour of the OKLab space in polar form. Chroma that the screen cannot show is taken back until it can.
QRgb oklch(double lightness, double chroma, double hue_degrees);

// How values become colours.
enum class HeatScale : unsigned char { linear, logarithmic };

// The values that a picture spans. Diverging spans go from -most over 0 to most.
struct HeatSpan {
    double least = 0.0; // the smallest above 0, the foot of logarithmic colours
    double most = 0.0;
    bool diverging = false;
    HeatScale scale = HeatScale::logarithmic;
    bool has_less = false; // values below `least`, which take its colour
    bool operator==(const HeatSpan&) const = default;

    // Place in the colours, 0..255. Values of sequential spans are above 0.
    int colourOf(double value) const;
    // The value shown at a place of the colour bar, 0 (bottom) to 1 (top).
    double valueAt(double place) const;
    double placeOf(double value) const;
};

} // namespace shardscope

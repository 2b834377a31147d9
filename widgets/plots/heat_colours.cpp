#include "widgets/plots/heat_colours.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// Logarithmic differences are linear within this share of the largest one.
constexpr double linear_share = 1e-3;

struct LinearRgb {
    double red;
    double green;
    double blue;
    bool onScreen() const
    {
        const auto inside = [](double part) { return part >= -1e-4 && part <= 1.0 + 1e-4; };
        return inside(red) && inside(green) && inside(blue);
    }
};

// Ottosson 2020, "Converting from OKLab to linear sRGB".
LinearRgb linearFromOklab(double lightness, double a, double b)
{
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// The transfer function of sRGB, IEC 61966-2-1.
int screenValue(double linear)
{
    const double clipped = std::clamp(linear, 0.0, 1.0);
    const double encoded =
        clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * std::pow(clipped, 1.0 / 2.4) - 0.055;
    return static_cast<int>(std::lround(255.0 * encoded));
}

double between(double from, double to, double share)
{
    return from + (to - from) * share;
}

HeatColours makeSequential(bool dark)
{
    HeatColours colours{};
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const double share = static_cast<double>(i) / 255.0;
        // Bright means yellow and dark means violet on either ground; only the direction changes.
        const double brightness = dark ? share : 1.0 - share;
        const double lightness = dark ? between(0.38, 0.93, brightness) : between(0.26, 0.88, brightness);
        colours[i] = oklch(lightness, 0.145, between(305.0, 105.0, brightness));
    }
    return colours;
}

HeatColours makeDiverging(bool dark)
{
    constexpr double blue = 250.0;
    constexpr double orange = 52.0;
    HeatColours colours{};
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const double offset = (static_cast<double>(i) - 128.0) / 127.0;
        const double size = std::min(1.0, std::fabs(offset));
        const double lightness = dark ? between(0.42, 0.80, size) : between(0.87, 0.48, size);
        colours[i] = oklch(lightness, 0.16 * size, offset < 0 ? blue : orange);
    }
    return colours;
}

} // namespace

QRgb oklch(double lightness, double chroma, double hue_degrees)
{
    const double hue = hue_degrees * M_PI / 180.0;
    LinearRgb colour = linearFromOklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
    while (!colour.onScreen() && chroma > 0.0) {
        chroma = std::max(0.0, chroma - 0.002);
        colour = linearFromOklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
    }
    return qRgb(screenValue(colour.red), screenValue(colour.green), screenValue(colour.blue));
}

const HeatColours& sequentialColours(bool dark)
{
    static const HeatColours on_light = makeSequential(false);
    static const HeatColours on_dark = makeSequential(true);
    return dark ? on_dark : on_light;
}

const HeatColours& divergingColours(bool dark)
{
    static const HeatColours on_light = makeDiverging(false);
    static const HeatColours on_dark = makeDiverging(true);
    return dark ? on_dark : on_light;
}

double HeatSpan::placeOf(double value) const
{
    if (most <= 0.0)
        return diverging ? 0.5 : 1.0;
    if (diverging) {
        const double size = std::min(1.0, std::fabs(value) / most);
        const double place = scale == HeatScale::linear
                                 ? size
                                 : std::log1p(size / linear_share) / std::log1p(1.0 / linear_share);
        return 0.5 + std::copysign(0.5 * place, value);
    }
    if (scale == HeatScale::linear)
        return std::clamp(value / most, 0.0, 1.0);
    if (least >= most)
        return 1.0;
    return std::clamp(std::log(value / least) / std::log(most / least), 0.0, 1.0);
}

double HeatSpan::valueAt(double place) const
{
    if (diverging) {
        const double size = std::fabs(2.0 * place - 1.0);
        const double value = scale == HeatScale::linear
                                 ? size
                                 : linear_share * std::expm1(size * std::log1p(1.0 / linear_share));
        return std::copysign(most * value, place - 0.5);
    }
    if (scale == HeatScale::linear)
        return place * most;
    return least >= most ? most : least * std::pow(most / least, place);
}

int HeatSpan::colourOf(double value) const
{
    const double place = placeOf(value);
    if (diverging) // 0 is in the middle exactly; the least difference is off it
        return value == 0.0
                   ? 128
                   : static_cast<int>(value < 0.0 ? std::floor(255.0 * place) : std::ceil(1 + 254.0 * place));
    return static_cast<int>(std::lround(255.0 * place));
}

} // namespace shardscope

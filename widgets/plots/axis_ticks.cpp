#include "widgets/plots/axis_ticks.h"

#include "widgets/session/shown_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

bool isBinary(AxisUnit unit)
{
    return unit == AxisUnit::bytes || unit == AxisUnit::doublings;
}

// The smallest step that is allowed and not below `least`.
double stepAbove(double least, AxisUnit unit)
{
    if (isBinary(unit))
        return std::exp2(std::max(0.0, std::ceil(std::log2(least))));
    const double decade = std::pow(10.0, std::floor(std::log10(least)));
    double step = 10.0 * decade;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * decade >= least * (1.0 - 1e-9)) {
            step = factor * decade;
            break;
        }
    return unit == AxisUnit::count ? std::max(1.0, step) : step;
}

constexpr double hour = 3600.0;

// Whether figures of that size are written in hours: formatSeconds() does so too.
bool isInHours(double value, AxisUnit unit)
{
    return unit == AxisUnit::seconds && value >= 2.0 * hour;
}

// The same on an axis that ends at `high`: steps that are round in its unit.
double roundStepAbove(double least, double high, AxisUnit unit)
{
    return isInHours(high, unit) ? hour * stepAbove(least / hour, unit) : stepAbove(least, unit);
}

// The largest step that is allowed and not above `most`; twice it is.
double stepWithin(double most, AxisUnit unit)
{
    if (isBinary(unit))
        return std::exp2(std::floor(std::log2(most)));
    const double decade = std::pow(10.0, std::floor(std::log10(most)));
    for (const double factor : {5.0, 4.0, 2.0})
        if (factor * decade <= most)
            return factor * decade;
    return decade;
}

struct Scale {
    double size;
    const char* name;
};

// The unit that the largest tick is written in; the smaller ones follow it.
Scale scaleOf(double high, AxisUnit unit)
{
    static constexpr std::array seconds{Scale{1.0, " s"}, Scale{1e-3, " ms"}, Scale{1e-6, " µs"}};
    static constexpr std::array bytes{Scale{0x1p50, " PiB"}, Scale{0x1p40, " TiB"}, Scale{0x1p30, " GiB"},
                                      Scale{0x1p20, " MiB"}, Scale{0x1p10, " KiB"}, Scale{1.0, " B"}};
    if (unit == AxisUnit::seconds) {
        for (const Scale& scale : seconds)
            if (high >= scale.size)
                return scale;
        return {1e-9, " ns"};
    }
    for (const Scale& scale : bytes)
        if (high >= scale.size)
            return scale;
    return bytes.back();
}

QString label(double value, double high, AxisUnit unit)
{
    if (value == 0.0)
        return QStringLiteral("0");
    if (unit == AxisUnit::count)
        return countText(value);
    if (unit == AxisUnit::doublings)
        return groupedText(std::llround(value));
    if (unit == AxisUnit::share)
        return QString::number(100.0 * value, 'g', 4) + QStringLiteral(" %");
    const Scale scale = scaleOf(high, unit);
    return QString::number(value / scale.size, 'g', 5) + QString::fromUtf8(scale.name);
}

} // namespace

std::vector<AxisTick> linearTicks(double high, AxisUnit unit, int most)
{
    if (!(high > 0.0) || !std::isfinite(high))
        return {{0.0, label(0.0, 1.0, unit)}};
    double step = roundStepAbove(high / std::max(1, most - 1), high, unit);
    // A zero alone tells nothing of the heights above it.
    const bool may_be_less = high >= 1.0 || !(isBinary(unit) || unit == AxisUnit::count);
    if (step > high * (1.0 + 1e-9) && most > 1 && may_be_less)
        step = isInHours(high, unit) ? hour * stepWithin(high / hour, unit) : stepWithin(high, unit);
    std::vector<AxisTick> ticks;
    for (int i = 0; i * step <= high * (1.0 + 1e-9); ++i)
        ticks.push_back({i * step, isInHours(high, unit) && i > 0
                                       ? QString::number(i * step / hour, 'g', 5) + QStringLiteral(" h")
                                       : label(i * step, high, unit)});
    return ticks;
}

namespace
{

// Of an axis that spans too little for powers of ten.
std::vector<AxisTick> evenTicks(double low, double high, AxisUnit unit, int most)
{
    const double within = std::min(1e3, high / (high - low));
    std::vector<AxisTick> ticks = linearTicks(high, unit, static_cast<int>((most - 1) * within) + 1);
    std::erase_if(ticks, [low](const AxisTick& tick) { return tick.value < low; });
    return ticks;
}

} // namespace

std::vector<AxisTick> logTicks(double low, double high, AxisUnit unit, int most)
{
    if (!(low > 0.0) || !(high >= low) || !std::isfinite(high))
        return {};
    const double base = isBinary(unit) ? 2.0 : 10.0;
    const int first = static_cast<int>(std::ceil(std::log(low) / std::log(base) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log(high) / std::log(base) + 1e-9));
    const int every = std::max(1, (last - first + most) / std::max(1, most));
    std::vector<AxisTick> ticks;
    for (int exponent = first; exponent <= last; exponent += every) {
        const double value = std::pow(base, exponent);
        // Each tick in its own unit: an axis over decades has none in common.
        ticks.push_back({value, label(value, value, unit)});
    }
    // 2 and 5 as well where all of them have room, and within a decade or so as many as have.
    std::vector<double> between;
    for (int exponent = first - 1; !isBinary(unit) && exponent <= last; ++exponent)
        for (const double digit : {2.0, 5.0})
            if (const double value = digit * std::pow(base, exponent); value >= low && value <= high)
                between.push_back(value);
    const auto room = static_cast<std::size_t>(std::max(0, most - static_cast<int>(ticks.size())));
    if (between.size() > room)
        between.resize(last <= first ? room : 0);
    // High above the last power no label would tell where the axis ends.
    if (!isBinary(unit) && every == 1 && between.empty() && room > 0 && !ticks.empty())
        for (const double digit : {5.0, 4.0, 3.0, 2.0})
            if (const double value = digit * std::pow(base, last);
                value <= high && std::log10(digit) * most >= std::log10(high / low)) {
                between.push_back(value);
                break;
            }
    for (const double value : between)
        ticks.push_back({value, label(value, value, unit)});
    std::ranges::sort(ticks, {}, &AxisTick::value);
    return ticks.size() < 2 && !isBinary(unit) && high > low ? evenTicks(low, high, unit, most) : ticks;
}

double ceilingTick(double value, AxisUnit unit)
{
    if (!(value > 0.0) || !std::isfinite(value))
        return 1.0;
    const double step = roundStepAbove(value / 8.0, value, unit);
    return step * std::ceil(value / step - 1e-9);
}

} // namespace shardscope

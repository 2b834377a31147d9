#include "widgets/plots/heatmap/heat_ticks.h"

#include "widgets/plots/axis_ticks.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double shortest_ratio = 10.0;
constexpr double longest_ratio = 1e6;
constexpr double sign_ratio = 1e3; // beside 0, what diverging colours still tell apart

std::vector<AxisTick> sizesIn(const HeatSpan& span, int most)
{
    if (span.scale == HeatScale::linear)
        return linearTicks(span.most, AxisUnit::bytes, most);
    return logTicks(span.diverging ? span.most / sign_ratio : span.least, span.most, AxisUnit::bytes, most);
}

std::vector<HeatTick> divergingTicks(const HeatSpan& span, int most)
{
    std::vector<HeatTick> ticks{{span.placeOf(0.0), QStringLiteral("0")}};
    for (const AxisTick& size : sizesIn(span, std::max(2, most / 2))) {
        if (size.value == 0.0)
            continue;
        ticks.push_back({span.placeOf(size.value), QLatin1Char{'+'} + size.label});
        ticks.push_back({span.placeOf(-size.value), QStringLiteral("−") + size.label});
    }
    std::ranges::sort(ticks, {}, &HeatTick::place);
    return ticks;
}

} // namespace

HeatSpan sequentialSpan(double least, double most, HeatScale scale)
{
    HeatSpan span{least, most, false, scale};
    if (scale == HeatScale::linear || most <= 0.0)
        return span;
    span.least = std::min(span.least, most / shortest_ratio);
    if (least < most / longest_ratio) {
        span.least = std::exp2(std::floor(std::log2(most / longest_ratio))); // where a label stands
        span.has_less = span.least > least;
    }
    return span;
}

std::vector<HeatTick> heatTicks(const HeatSpan& span, int most)
{
    if (span.most <= 0.0)
        return {};
    if (span.diverging)
        return divergingTicks(span, most);
    std::vector<HeatTick> ticks;
    for (const AxisTick& size : sizesIn(span, most))
        ticks.push_back({span.placeOf(size.value), size.label});
    if (span.has_less && !ticks.empty())
        ticks.front().label.prepend(QStringLiteral("≤ "));
    return ticks;
}

} // namespace shardscope

#include "widgets/plots/timeline/time_axis.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace shardscope
{

namespace
{

__extension__ using Wide = __int128;

Wide floorDivide(Wide dividend, Wide divisor)
{
    const Wide quotient = dividend / divisor;
    return quotient * divisor > dividend ? quotient - 1 : quotient;
}

struct TimeUnit {
    TraceTime size_ns;
    int digits; // behind the point, down to a nanosecond
    const char* name;
};
constexpr std::array<TimeUnit, 4> time_units{
    {{1'000'000'000, 9, " s"}, {1'000'000, 6, " ms"}, {1'000, 3, " µs"}, {1, 0, " ns"}}};

// More steps than this from zero to the screen, and labels count from a base instead.
constexpr TraceTime steps_before_base = 5'000;

TraceTime baseOf(const TimeRange& range, TraceTime step_ns)
{
    const TraceTime furthest = std::max(std::abs(range.start_ns), std::abs(range.end_ns()));
    if (furthest / step_ns <= steps_before_base)
        return 0;
    TraceTime grain = 1;
    while (grain < range.length_ns)
        grain *= 10;
    return static_cast<TraceTime>(floorDivide(range.start_ns, grain)) * grain;
}

// value * numerator / denominator, rounded down, exact in between. Pre: denominator > 0; the result fits.
std::int64_t scaleExactly(std::int64_t value, std::int64_t numerator, std::int64_t denominator)
{
    assert(denominator > 0);
    return static_cast<std::int64_t>(floorDivide(Wide{value} * numerator, denominator));
}

} // namespace

std::int64_t columnOf(TraceTime time_ns, const TimeRange& range, int width)
{
    assert(width > 0);
    return scaleExactly(time_ns - range.start_ns, width, range.length_ns);
}

TraceTime timeOfColumn(std::int64_t column, const TimeRange& range, int width)
{
    assert(width > 0);
    return range.start_ns - static_cast<TraceTime>(floorDivide(-Wide{column} * range.length_ns, width));
}

TimeRange zoomed(const TimeRange& range, double factor, TraceTime anchor_ns, const TimeRange& bounds)
{
    const TraceTime longest = std::max(3 * bounds.length_ns, shortest_range_ns);
    const double wished = static_cast<double>(range.length_ns) * factor;
    // At least one nanosecond a step, or small ranges would never grow.
    TraceTime length = static_cast<TraceTime>(std::llround(std::min(wished, static_cast<double>(longest))));
    if (factor > 1.0)
        length = std::max(length, range.length_ns + 1);
    length = std::clamp(length, shortest_range_ns, longest);
    const TraceTime left_of_anchor = scaleExactly(anchor_ns - range.start_ns, length, range.length_ns);
    return panned({anchor_ns - left_of_anchor, length}, 0, bounds);
}

TimeRange panned(const TimeRange& range, TraceTime by_ns, const TimeRange& bounds)
{
    const TraceTime kept = std::min(range.length_ns, bounds.length_ns) / 4;
    const TraceTime first = bounds.start_ns + kept - range.length_ns;
    const TraceTime last = bounds.end_ns() - kept;
    return {std::clamp(range.start_ns + by_ns, first, std::max(first, last)), range.length_ns};
}

TimeRange padded(const TimeRange& range)
{
    const TraceTime air = range.length_ns / 50;
    return {range.start_ns - air, std::max(range.length_ns + 2 * air, shortest_range_ns)};
}

TimeRange onOtherScale(const TimeRange& range, const TimeRange& whole, const TimeRange& other_whole)
{
    const TraceTime length = std::max<TraceTime>(1, whole.length_ns);
    const TraceTime other = std::max<TraceTime>(1, other_whole.length_ns);
    return {other_whole.start_ns + scaleExactly(range.start_ns - whole.start_ns, other, length),
            std::max<TraceTime>(1, scaleExactly(range.length_ns, other, length))};
}

TraceTime tickStep(const TimeRange& range, int width, int spacing)
{
    assert(width > 0);
    TraceTime decade = 1;
    while (true) {
        for (const TraceTime step : {decade, 2 * decade, 5 * decade})
            if (Wide{step} * width >= Wide{range.length_ns} * spacing)
                return step;
        decade *= 10;
    }
}

std::string formatTick(TraceTime time_ns, TraceTime step_ns)
{
    if (time_ns == 0)
        return "0";
    const TraceTime size = std::abs(time_ns);
    const TimeUnit* unit = time_units.data();
    while (unit->size_ns > size)
        ++unit;
    int digits = unit->digits;
    for (TraceTime grain = 10; digits > 0 && step_ns % grain == 0; grain *= 10)
        --digits;
    std::string text = std::to_string(size / unit->size_ns);
    if (digits > 0) {
        const std::string rest = std::to_string(size % unit->size_ns + unit->size_ns);
        text += "." + rest.substr(1, static_cast<std::size_t>(digits));
    }
    return (time_ns < 0 ? "-" : "") + text + unit->name;
}

TimeTicks timeTicks(const TimeRange& range, int width, int spacing)
{
    TimeTicks result;
    result.step_ns = tickStep(range, width, spacing);
    result.base_ns = baseOf(range, result.step_ns);
    if (result.base_ns != 0)
        result.base_label = formatTick(result.base_ns, result.base_ns);
    const auto first = static_cast<TraceTime>(-floorDivide(-Wide{range.start_ns}, result.step_ns));
    for (TraceTime tick = first * result.step_ns; tick < range.end_ns(); tick += result.step_ns) {
        const TraceTime shown = tick - result.base_ns;
        result.ticks.push_back({tick, (result.base_ns != 0 ? "+" : "") + formatTick(shown, result.step_ns)});
    }
    return result;
}

} // namespace shardscope

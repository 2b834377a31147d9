#pragma once

#include "core/trace/trace_store.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// The part of a time axis that is on screen: [start_ns, start_ns + length_ns). All of it is integer
// nanoseconds, so that zooming in and out a thousand times comes back to where it began.
struct TimeRange {
    TraceTime start_ns = 0;
    TraceTime length_ns = 1; // at least 1
    TraceTime end_ns() const { return start_ns + length_ns; }
    bool operator==(const TimeRange&) const = default;
};

// The shortest range that zooming reaches: a nanosecond is then wide enough to point at.
inline constexpr TraceTime shortest_range_ns = 10;

// The pixel column (0 at the left) that a time falls into; negative or >= width outside the range. Pre: width
// > 0.
std::int64_t columnOf(TraceTime time_ns, const TimeRange& range, int width);
// The first nanosecond of a column: the smallest time whose column is at least this one.
TraceTime timeOfColumn(std::int64_t column, const TimeRange& range, int width);

// The range `factor` times as long (below 1 zooms in) in which `anchor_ns` keeps its place on screen. Never
// shorter than shortest_range_ns, never longer than three times the bounds.
TimeRange zoomed(const TimeRange& range, double factor, TraceTime anchor_ns, const TimeRange& bounds);
// Moved by a time; at least a quarter of the screen keeps showing the bounds.
TimeRange panned(const TimeRange& range, TraceTime by_ns, const TimeRange& bounds);
// A range with a little air on both sides.
TimeRange padded(const TimeRange& range);

// Where the same place on screen lies on another scale: `whole` is shown where `other_whole` is.
TimeRange onOtherScale(const TimeRange& range, const TimeRange& whole, const TimeRange& other_whole);

// The step between ticks: 1, 2 or 5 times a power of ten nanoseconds, ticks at least `spacing` pixels apart.
TraceTime tickStep(const TimeRange& range, int width, int spacing);

struct TimeTick {
    TraceTime time_ns = 0;
    std::string label; // relative to TimeTicks::base_ns: "1.25 ms", "+40 ns"
};

struct TimeTicks {
    TraceTime step_ns = 1;
    TraceTime base_ns = 0;  // what labels count from; 0 unless the digits would not fit
    std::string base_label; // empty while base_ns is 0
    std::vector<TimeTick> ticks;
};
TimeTicks timeTicks(const TimeRange& range, int width, int spacing);

// A time with just the digits that tell it from its neighbours a step away: "1.250 ms" for a step of 1 us.
std::string formatTick(TraceTime time_ns, TraceTime step_ns);

} // namespace shardscope

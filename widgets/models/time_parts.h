#pragma once

#include "widgets/models/measured_calls.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// What an iteration's time is spent on. overlapped: computing while a communication runs beneath. step: the
// optimizer's, of a prediction. passes: of a pipeline schedule that was recorded, which does not divide them.
enum class TimePart : std::uint8_t {
    compute,
    overlapped,
    passes,
    step,
    communication,
    memory_copy,
    bubble,
    idle,
    other
};

struct TimeSlice {
    TimePart part = TimePart::other;
    Kind kind = Kind::unknown; // of communication
    double seconds = 0.0;
    double low_s = 0.0; // over the ranks; equal to `seconds` for a prediction or one rank
    double high_s = 0.0;
};

// One bar: slices in the order in which they are drawn, those of no length left out.
struct TimeParts {
    double total_s = 0.0;
    std::vector<TimeSlice> slices;
    std::size_t ranks = 0; // that were measured; 0: a prediction
};

TimeParts predictedTimeParts(const TimePrediction& time);

// Of one iteration of one rank, or the median over all ranks of each slice by itself. Nothing: the rank was
// not read, or the trace has no times.
std::optional<TimeParts> measuredTimeParts(const MeasuredCalls& calls, std::optional<std::int64_t> rank);

} // namespace shardscope

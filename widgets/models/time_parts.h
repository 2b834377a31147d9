#pragma once

#include "widgets/models/measured_calls.h"
#include "widgets/models/message_counts.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// What an iteration's time is spent on. overlapped: computing while a communication runs beneath. step: the
// optimizer's, of a prediction. passes: of a pipeline schedule that was recorded, which does not divide them.
// undivided: all of an iteration that a log has timed.
enum class TimePart : std::uint8_t {
    compute,
    overlapped,
    passes,
    step,
    communication,
    memory_copy,
    bubble,
    idle,
    undivided,
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
    std::size_t ranks = 0; // that were measured; 0: a prediction, or a log's time
    int stage = -1;        // of the pipeline, that these are of; -1: of all of it
};

// Of the slowest stage.
TimeParts predictedTimeParts(const TimePrediction& time, bool is_pipeline = false);

// Of one iteration of one rank, or the mean over the ranks of the busiest stage, as a comparison has it
// (core/analysis/comparison.h); without a scenario that says which rank is of which, over all. A log
// tells of all ranks how long an iteration takes, and not what of. Nothing: the rank was not read, or the
// trace has no times.
std::optional<TimeParts> measuredTimeParts(const MeasuredCalls& calls, const PredictedScenario* predicted,
                                           std::optional<std::int64_t> rank);
// Of ranks that stand elsewhere than in that scenario. Pre: there is a run.
std::optional<TimeParts> measuredTimeParts(const MeasuredCalls& calls, const RunPlaces& places,
                                           std::optional<std::int64_t> rank);

} // namespace shardscope

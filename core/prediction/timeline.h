#pragma once

#include "core/collectives/collective.h"
#include "core/prediction/prediction.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// What a pipeline stage does during one span of the predicted timeline.
enum class Activity : std::uint8_t { forward, backward, weight_gradient, communication, bubble };

struct TimelineSpan {
    int stage = 0;
    Activity activity = Activity::forward;
    Kind kind = Kind::unknown; // of communication
    Phase phase = Phase::forward;
    int micro_batch = -1; // -1: none
    double start_s = 0.0;
    double duration_s = 0.0;
    std::int64_t message_bytes = 0;     // of communication, one call
    std::int64_t count = 0;             // calls folded into the span
    bool reversed = false;              // DualPipe: of a micro-batch that enters at the last stage
    IdleCause cause = IdleCause::drain; // of a bubble

    // The optimizer's work, which is drawn like a backward pass.
    bool isOptimizer() const { return activity == Activity::backward && phase == Phase::step; }
};

// One iteration as every pipeline stage lives it, by stage, then start. Spans of one stage do not overlap.
struct PredictedTimeline {
    int stages = 0;
    double iteration_s = 0.0;
    std::vector<TimelineSpan> spans;
};

// Plays the schedule with the durations of the scenario's time model. Costs grow with stages * micro-batches.
// Pre: `prediction` is predict(scenario).
PredictedTimeline predictTimeline(const Scenario& scenario, const Prediction& prediction);

} // namespace shardscope

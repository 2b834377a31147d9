#pragma once

#include "core/prediction/timeline/timeline.h"
#include "core/prediction/timeline/timeline_calls.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// Passes with all their messages of a kind behind them, or every operator and message of every layer in its
// turn.
enum class TimelineDetail : std::uint8_t { passes, layers };

// The lanes of a rank's events; their numbers are those of its threads in an exported timeline. Within one
// nothing overlaps, as viewers demand of a thread.
enum class EventLane : int { compute = 1, communication, waiting, beneath, replicas, stages, sends, steps };

// What a profiler would record of one thing that a stage does: a span, a part of the pass that a span begins,
// or a call by itself. What it points to belongs to the timeline and the prediction.
struct StageEvent {
    const TimelineSpan* span = nullptr;
    const PassPart* part = nullptr;
    const Message* message = nullptr; // of a call by itself
    int stage = 0;
    int micro_batch = -1; // -1: none
    EventLane lane = EventLane::compute;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    Op op = Op::other;              // of a part or a call
    std::int64_t message_bytes = 0; // of one call
    bool is_counted = true;         // false: waiting, and of calls what takes no time

    bool isCommunication() const;
    Kind kind() const; // of communication
    Phase phase() const;
    // A part or a call, which stands for one message; spans stand for several.
    bool isOneCall() const { return isCommunication() && (part != nullptr || message != nullptr); }
};

// Of a stage of the timeline; ranks of it whose experts receive as much do the same: `load` is that over the
// mean. Spans and passes begin where the ones before them end, to the nanosecond. With `calls` these stand
// for the spans that they replace; there are some where `detail` is layers and the model knows them.
std::vector<StageEvent> eventsOfStage(const PredictedTimeline& timeline, int stage, TimelineDetail detail,
                                      const TimelineCalls* calls, double load = 1.0);

// From one iteration of a stage to its next: what a profiler marks as a step.
struct StageStep {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
};
StageStep stepOfStage(const PredictedTimeline& timeline, int stage, const std::vector<StageEvent>& events);

} // namespace shardscope

#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/timeline/timeline.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardscope
{

// Calls of a kind in one pass of one micro-batch: the largest message stands for them.
struct PassCalls {
    std::int64_t message_bytes = 0;
    std::int64_t count = 0;
};

// Between stages: what a pass sends, or receives where it sends nothing, as a span is one or the other.
PassCalls callsOf(const StagePrediction& stage, Kind kind, bool forward, std::int64_t passes);

// By row of the stage's messages: what replicas send in an iteration beside their losses. `passes_send`: what
// they send in every micro-batch is left out, which passes have.
std::vector<std::int64_t> callsOfReplicas(const IterationFigures& figures, const StagePrediction& stage,
                                          bool passes_send);
// Whether it is gathered parameters of the replicas, once in an iteration.
bool gathersParameters(const Message& message);
// Gives a span so many calls of each row: the largest message, and all of them where there are others.
void tellCalls(const StagePrediction& stage, const std::vector<std::int64_t>& calls, TimelineSpan& span);
// Whether a span is of all that replicas send in an iteration, or of what of it other spans leave.
bool isOfReplicasStep(const TimelineSpan& span);
// The messages that such a span stands for. Pre: the timeline's span, of the stage.
std::vector<const Message*> replicaMessages(const PredictedTimeline& timeline, const StagePrediction& stage,
                                            const TimelineSpan& span);
// How many calls a bucket of each row of the stage's messages is; 0: the row has none.
std::vector<std::int64_t> callsOfBuckets(const StagePrediction& stage);
// Gives it one of the stage's buckets, but for the number of its calls.
void tellBucket(const StagePrediction& stage, std::size_t bucket, TimelineSpan& span);

} // namespace shardscope

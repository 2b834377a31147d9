#pragma once

#include "core/prediction/timeline/timeline.h"

namespace shardscope
{

// Calls of a kind in one pass of one micro-batch: the largest message stands for them.
struct PassCalls {
    std::int64_t message_bytes = 0;
    std::int64_t count = 0;
};

// Between stages: what a pass sends, or receives where it sends nothing, as a span is one or the other.
PassCalls callsOf(const StagePrediction& stage, Kind kind, bool forward, std::int64_t passes);

// Gives a span what replicas send in an iteration beside their losses: the largest message, and all of them
// where there are others.
void tellReplicas(const StagePrediction& stage, TimelineSpan& span);
// How many calls a bucket of each row of the stage's messages is; 0: the row has none.
std::vector<std::int64_t> callsOfBuckets(const StagePrediction& stage);
// Gives it one of the stage's buckets, but for the number of its calls.
void tellBucket(const StagePrediction& stage, std::size_t bucket, TimelineSpan& span);

} // namespace shardscope

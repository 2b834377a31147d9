#include "core/prediction/timeline/span_calls.h"

#include "core/prediction/messages/message_contents.h"
#include "core/prediction/time/stage_communication.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool belongsToForward(const Message& message)
{
    return message.phase == Phase::forward;
}

} // namespace

PassCalls callsOf(const StagePrediction& stage, Kind kind, bool forward, std::int64_t passes)
{
    const auto isOfPass = [&](const Message& message) {
        return message.kind == kind && message.phase != Phase::step && belongsToForward(message) == forward;
    };
    const bool sends = std::ranges::any_of(
        stage.messages, [&](const Message& message) { return isOfPass(message) && message.op == Op::send; });
    const auto counts = [&](const Message& message) {
        return isOfPass(message) && !(sends && message.op == Op::recv);
    };
    PassCalls calls;
    for (const Message& message : stage.messages)
        if (counts(message))
            calls.message_bytes = std::max(calls.message_bytes, message.message_bytes);
    for (const Message& message : stage.messages)
        if (counts(message) && message.message_bytes == calls.message_bytes)
            calls.count += message.count;
    calls.count = std::max<std::int64_t>(calls.count / passes, calls.count > 0 ? 1 : 0);
    return calls;
}

std::vector<std::int64_t> callsOfReplicas(const IterationFigures& figures, const StagePrediction& stage,
                                          bool passes_send)
{
    std::vector<std::int64_t> calls;
    calls.reserve(stage.messages.size());
    for (const Message& message : stage.messages) {
        const bool counts = isOfReplicas(message.kind) && message.what != contents::loss
                            && !(passes_send && isOfEveryMicroBatch(figures, message));
        calls.push_back(counts ? message.count : 0);
    }
    return calls;
}

bool gathersParameters(const Message& message)
{
    return isOfReplicas(message.kind) && message.op == Op::all_gather && message.phase == Phase::step;
}

void tellCalls(const StagePrediction& stage, const std::vector<std::int64_t>& calls, TimelineSpan& span)
{
    std::int64_t sizes = 0;
    for (std::size_t row = 0; row < calls.size(); ++row) {
        const Message& message = stage.messages[row];
        if (calls[row] == 0)
            continue;
        ++sizes;
        span.all_count += calls[row];
        span.all_bytes += calls[row] * message.message_bytes;
        if (message.message_bytes > span.message_bytes) {
            span.message_bytes = message.message_bytes;
            span.count = calls[row];
        }
    }
    if (sizes < 2)
        span.all_count = span.all_bytes = 0;
}

bool isOfReplicasStep(const TimelineSpan& span)
{
    return span.activity == Activity::communication && span.kind == Kind::dp && span.phase == Phase::step
           && span.bucket < 0;
}

std::vector<const Message*> replicaMessages(const PredictedTimeline& timeline, const StagePrediction& stage,
                                            const TimelineSpan& span)
{
    const std::vector<std::int64_t>& calls = timeline.replica_calls[static_cast<std::size_t>(stage.stage)];
    std::vector<const Message*> messages;
    for (std::size_t row = 0; row < calls.size(); ++row)
        if (const Message& message = stage.messages[row];
            span.op == Op::other ? calls[row] > 0 : gathersParameters(message))
            messages.push_back(&message);
    return messages;
}

std::vector<std::int64_t> callsOfBuckets(const StagePrediction& stage)
{
    std::vector<std::int64_t> buckets(stage.messages.size());
    for (const GradientBucket& bucket : stage.buckets)
        ++buckets[static_cast<std::size_t>(bucket.reduced)];
    for (std::size_t row = 0; row < buckets.size(); ++row)
        if (buckets[row] > 0)
            buckets[row] = stage.messages[row].count / buckets[row];
    return buckets;
}

void tellBucket(const StagePrediction& stage, std::size_t bucket, TimelineSpan& span)
{
    const auto row = static_cast<std::size_t>(stage.buckets[bucket].reduced);
    const Message& message = stage.messages[row];
    span.bucket = static_cast<int>(bucket);
    span.kind = message.kind;
    span.message_bytes = message.message_bytes;
}

} // namespace shardscope

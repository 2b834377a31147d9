#include "core/prediction/timeline/span_calls.h"

#include "core/prediction/messages/message_contents.h"

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

void tellReplicas(const StagePrediction& stage, TimelineSpan& span)
{
    std::int64_t sizes = 0;
    for (const Message& message : stage.messages) {
        if (!isOfReplicas(message.kind) || message.what == contents::loss)
            continue;
        ++sizes;
        span.all_count += message.count;
        span.all_bytes += message.total_bytes;
        if (message.message_bytes > span.message_bytes) {
            span.message_bytes = message.message_bytes;
            span.count = message.count;
        }
    }
    if (sizes < 2)
        span.all_count = span.all_bytes = 0;
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

#include "widgets/panels/timeline/bar_messages.h"

#include "widgets/plots/timeline/timeline_flow.h"

#include "core/prediction/timeline/span_calls.h"

#include <algorithm>
#include <functional>

namespace shardscope
{

namespace
{

const StagePrediction& stageOf(const TimelineScene& scene, const TimelineSpan& span)
{
    return scene.predicted->source->prediction.stages.at(static_cast<std::size_t>(span.stage));
}

bool areAlike(const Message& one, const Message& other)
{
    return one.kind == other.kind && one.op == other.op && one.phase == other.phase && one.what == other.what
           && one.message_bytes == other.message_bytes;
}

std::vector<const Message*> replicaMessages(const TimelineScene& scene, const TimelineSpan& span)
{
    return replicaMessages(scene.predicted->timeline, stageOf(scene, span), span);
}

} // namespace

std::vector<const Message*> messagesAt(const TimelineScene& scene, const TimelineSpot& spot)
{
    std::vector<const Message*> messages;
    if (spot.section != TimelineSection::predicted)
        return messages;
    const auto& [span, part] = shownBar(*scene.predicted, spot);
    if (part != nullptr ? !part->is_message : span.activity != Activity::communication)
        return messages;
    const StagePrediction& stage = stageOf(scene, span);
    if (part == nullptr && span.bucket >= 0) {
        const GradientBucket& bucket = stage.buckets.at(static_cast<std::size_t>(span.bucket));
        return {&stage.messages.at(static_cast<std::size_t>(bucket.reduced))};
    }
    const Kind kind = part != nullptr ? part->kind : span.kind;
    const Phase phase = part != nullptr ? part->phase : span.phase;
    const std::int64_t bytes = part != nullptr ? part->message_bytes : span.message_bytes;
    if (part == nullptr && isOfReplicasStep(span)) {
        messages = replicaMessages(scene, span);
        std::erase_if(messages, [&](const Message* one) { return one->message_bytes != bytes; });
        std::ranges::stable_sort(messages, std::greater{}, &Message::count);
        return messages;
    }
    for (const Message& message : stage.messages)
        if (message.kind == kind && message.phase == phase && message.message_bytes == bytes
            && (part == nullptr ? span.op == Op::other || message.op == span.op
                                : message.op == part->op && message.what == part->what))
            messages.push_back(&message);
    std::ranges::stable_sort(messages, std::greater{}, &Message::count);
    return messages;
}

const MeasuredCall* callAt(const TimelineScene& scene, const TimelineSpot& spot)
{
    return spot.section == TimelineSection::measured ? callOf(*scene.measured, spot) : nullptr;
}

const Message* messageAt(const TimelineScene& scene, const TimelineSpot& spot)
{
    const std::vector<const Message*> messages = messagesAt(scene, spot);
    return messages.empty() ? nullptr : messages.front();
}

bool standsFor(const TimelineScene& scene, const TimelineSpot& spot, const Message& messages)
{
    if (spot.section != TimelineSection::predicted)
        return false;
    const auto& [span, part] = shownBar(*scene.predicted, spot);
    const bool stands_for_several =
        part == nullptr && span.activity == Activity::communication && span.bucket < 0;
    if (stands_for_several && isOfReplicasStep(span))
        return std::ranges::any_of(replicaMessages(scene, span),
                                   [&](const Message* one) { return areAlike(*one, messages); });
    if (stands_for_several && span.kind == messages.kind && !isPointToPoint(messages.op)) // of all sizes
        return span.phase == messages.phase
               || (span.phase == Phase::backward && messages.phase == Phase::recompute);
    return std::ranges::any_of(messagesAt(scene, spot),
                               [&](const Message* one) { return areAlike(*one, messages); });
}

} // namespace shardscope

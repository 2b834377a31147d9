#include "widgets/session/held_selection.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Whether any message of a prediction, or any call of the measured run, is as asked for. `is` takes a kind,
// an operation and a size.
template<typename Is>
bool anyMessage(const Content& content, const Is& is)
{
    for (const auto& predicted : {content.predicted, content.pinned}) {
        if (!predicted)
            continue;
        for (const StagePrediction& stage : predicted->prediction.stages)
            for (const Message& message : stage.messages)
                if (is(message.kind, message.op, message.message_bytes))
                    return true;
    }
    if (!content.measured)
        return false;
    for (const RankMeasurement& rank : content.measured->measurement.ranks)
        for (const MeasuredCollective& calls : rank.collectives)
            if (is(calls.kind, calls.op, calls.message_bytes))
                return true;
    return false;
}

bool hasKind(const Content& content, Kind wanted)
{
    return anyMessage(content, [wanted](Kind kind, Op, std::int64_t) { return kind == wanted; });
}

bool hasRank(const Content& content, std::int64_t rank)
{
    if (content.predicted && rank < content.predicted->prediction.world_size)
        return true;
    return content.measured
           && std::ranges::find(content.measured->measurement.ranks, rank, &RankMeasurement::rank)
                  != content.measured->measurement.ranks.end();
}

} // namespace

bool hasMessage(const Content& content, const MessageKey& message)
{
    return anyMessage(content, [&message](Kind kind, Op op, std::int64_t message_bytes) {
        return MessageKey{kind, op, message_bytes} == message;
    });
}

Selection heldSelection(Selection selection, const Content& content)
{
    if (selection.rank && !hasRank(content, *selection.rank))
        selection.rank.reset();
    if (selection.message && !hasKind(content, selection.message->kind))
        selection.message.reset();
    if (selection.kind && !hasKind(content, *selection.kind))
        selection.kind.reset();
    return selection;
}

} // namespace shardscope

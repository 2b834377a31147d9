#pragma once

#include "core/prediction/prediction.h"

#include <vector>

namespace shardscope
{

// Collects the messages of one rank, and the order of its gradients' buckets. Groups of one and calls that
// never happen leave no row.
class MessageList
{
public:
    MessageList() { m_messages.reserve(32); }

    struct Call {
        Kind kind;
        Op op;
        int group_size;
        ModelPart part = ModelPart::none;
    };
    // Answers the message's row; none: -1.
    int add(Call call, Phase phase, Dtype dtype, std::string_view what, std::int64_t message_bytes,
            std::int64_t count);
    // Of every byte that the calls of a row are given, the rank itself sends so much. Pre: there is that row.
    void setSentShare(int row, double share);
    // One that no message reduces is none.
    void addBucket(const GradientBucket& bucket);

    // Into `stage`; buckets in the order in which they are ready, those of equal readiness as they were
    // added.
    void moveTo(StagePrediction& stage);

private:
    std::vector<Message> m_messages;
    std::vector<GradientBucket> m_buckets;
};

} // namespace shardscope

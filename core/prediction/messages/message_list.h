#pragma once

#include "core/prediction/prediction.h"

#include <vector>

namespace shardscope
{

// Collects the messages of one rank. Groups of one and calls that never happen leave no row.
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
    void add(Call call, Phase phase, Dtype dtype, std::string_view what, std::int64_t message_bytes,
             std::int64_t count);

    std::vector<Message> take() { return std::move(m_messages); }

private:
    std::vector<Message> m_messages;
};

} // namespace shardscope

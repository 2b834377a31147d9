#include "core/prediction/messages/message_list.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

// Sent by one rank in a call, on average over the calls: each rank once is the root of a reduce, which sends
// nothing.
double wireBytesOfCall(Op op, int group_size, std::int64_t message_bytes)
{
    if (op == Op::reduce)
        return wireBytes(Op::reduce_scatter, group_size, message_bytes);
    return wireBytes(op, group_size, message_bytes);
}

} // namespace

int MessageList::add(Call call, Phase phase, Dtype dtype, std::string_view what, std::int64_t message_bytes,
                     std::int64_t count)
{
    if (call.group_size < 2 || message_bytes == 0 || count == 0)
        return -1;
    Message& message = m_messages.emplace_back();
    message.kind = call.kind;
    message.op = call.op;
    message.phase = phase;
    message.dtype = dtype;
    message.part = call.part;
    message.what = what;
    message.group_size = call.group_size;
    message.message_bytes = message_bytes;
    message.count = count;
    message.total_bytes = count * message_bytes;
    message.wire_bytes =
        static_cast<double>(count) * wireBytesOfCall(call.op, call.group_size, message_bytes);
    return static_cast<int>(m_messages.size()) - 1;
}

void MessageList::setSentShare(int row, double share)
{
    Message& message = m_messages.at(static_cast<std::size_t>(row));
    message.wire_bytes = share * static_cast<double>(message.total_bytes);
}

void MessageList::addBucket(const GradientBucket& bucket)
{
    if (bucket.reduced >= 0)
        m_buckets.push_back(bucket);
}

void MessageList::moveTo(StagePrediction& stage)
{
    std::ranges::stable_sort(m_buckets, {}, &GradientBucket::ready);
    stage.messages = std::move(m_messages);
    stage.buckets = std::move(m_buckets);
}

} // namespace shardscope

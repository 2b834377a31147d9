#include "core/report/message_totals.h"

#include <array>
#include <cstddef>

namespace shardscope
{

std::vector<MessageTotal> messageTotals(const std::vector<Message>& messages)
{
    std::array<MessageTotal, static_cast<std::size_t>(kind_count) * op_count> sums{};
    for (const Message& message : messages) {
        const auto place =
            static_cast<std::size_t>(message.kind) * op_count + static_cast<std::size_t>(message.op);
        MessageTotal& sum = sums[place];
        sum.kind = message.kind;
        sum.op = message.op;
        sum.count += message.count;
        sum.bytes += message.total_bytes;
        sum.wire_bytes += message.wire_bytes;
    }
    std::vector<MessageTotal> totals;
    for (const MessageTotal& sum : sums)
        if (sum.count > 0)
            totals.push_back(sum);
    return totals;
}

} // namespace shardscope

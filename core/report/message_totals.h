#pragma once

#include "core/prediction/prediction.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// All messages of one kind and operation that one rank takes part in.
struct MessageTotal {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    double wire_bytes = 0.0;
};

// Those that occur, by kind, then operation.
std::vector<MessageTotal> messageTotals(const std::vector<Message>& messages);

} // namespace shardscope

#pragma once

#include "core/collectives/collective.h"

#include <cstdint>
#include <optional>

namespace shardscope
{

// One class of messages, named the same way in a prediction and in a measurement.
struct MessageKey {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::int64_t message_bytes = 0;
    bool operator==(const MessageKey&) const = default;
};

// What the user has marked; every picture marks it. Any part may be absent.
struct Selection {
    std::optional<Kind> kind;
    std::optional<std::int64_t> rank;
    std::optional<MessageKey> message; // implies its kind
    bool operator==(const Selection&) const = default;
    bool empty() const { return !kind && !rank && !message; }
};

} // namespace shardscope

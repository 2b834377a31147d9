#pragma once

#include "core/collectives/collective.h"
#include "core/prediction/prediction.h"

#include <cstdint>
#include <string_view>

namespace shardscope
{

// A class of measured calls, as the backend shows them.
struct ShownCalls {
    std::string_view name; // "gloo:all_to_all"
    std::string_view dtype;
    Op op = Op::other;
    std::int64_t message_bytes = -1; // -1: only what was put in is known
    std::int64_t in_bytes = -1;
    bool operator==(const ShownCalls&) const = default;
};

// How a predicted message meets what a backend shows of it.
enum class Shown : std::uint8_t {
    no,
    as_it_is,
    as_all_to_all, // gloo has no reduce_scatter: an all_to_all of the same input and a local sum
    by_its_part,   // an all_gather of which only the rank's own part is known
    in_fp32,       // gloo sums bf16 as fp32: twice the bytes
};

Shown howShown(const Message& message, const ShownCalls& calls);

} // namespace shardscope

#pragma once

#include <cstdint>

namespace shardscope
{

// Layers by their sort. Modules of multi-token prediction are counted with `dense` or with `moe`, too.
struct LayersBySort {
    std::int64_t encoder = 0;
    std::int64_t dense = 0; // of the decoder
    std::int64_t moe = 0;
    std::int64_t mtp = 0;

    std::int64_t ofDecoder() const { return dense + moe; }
    std::int64_t all() const { return encoder + dense + moe; }
};

} // namespace shardscope

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardscope
{

// Buckets of one size, in elements.
struct BucketSize {
    std::int64_t elements = 0;
    std::int64_t count = 0;
};

// Buckets in the order in which they are filled.
struct Buckets {
    struct Bucket {
        std::size_t size; // row of `sizes`
        std::size_t end;  // how many tensors are in it and in those before it
    };
    std::vector<BucketSize> sizes; // those of equal size are counted together
    std::vector<Bucket> order;

    void add(std::int64_t elements, std::size_t end);
};

// Fills buckets with tensors in their order; a bucket closes once it has reached its limit, so it may exceed
// it. The first bucket has a limit of its own. Limits are in elements. Tensors begin at multiples of
// `alignment`.
Buckets fillBuckets(std::span<const std::int64_t> tensors, std::int64_t first_limit, std::int64_t limit,
                    std::int64_t alignment = 1);

// How Megatron-LM lays out the buffer of a stage.
struct ChunkRules {
    bool cuts_last = false;              // the last chunk goes in buckets of `limit`, the others whole
    std::int64_t limit = 1;              // elements
    std::int64_t alignment = 1;          // tensors begin at its multiples
    std::optional<std::size_t> own = {}; // a tensor that has a bucket of its own
};

// One bucket for each chunk of a stage, but for the last if it is cut; chunks after the first begin at
// `chunk_begins`.
Buckets fillChunkBuckets(std::span<const std::int64_t> tensors, std::span<const std::size_t> chunk_begins,
                         const ChunkRules& rules);

// The same as fillBuckets for buckets that never exceed their limit: one is sent before a tensor that would
// make it do so, as DeepSpeed's ZeRO does (reduce_independent_p_g_buckets_and_remove_grads). A larger tensor
// goes alone.
Buckets fillBucketsWithin(std::span<const std::int64_t> tensors, std::int64_t limit);

} // namespace shardscope

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// Buckets of one size, in elements.
struct BucketSize {
    std::int64_t elements = 0;
    std::int64_t count = 0;
};

// Fills buckets with tensors in their order; a bucket closes once it has reached its limit, so it may exceed
// it. The first bucket has a limit of its own. Limits are in elements. Buckets of equal size are counted
// together.
std::vector<BucketSize> fillBuckets(std::span<const std::int64_t> tensors, std::int64_t first_limit,
                                    std::int64_t limit);

// One bucket for each chunk of a stage; chunks after the first begin at `chunk_begins`. The last one may be
// cut into buckets of `limit`.
std::vector<BucketSize> fillChunkBuckets(std::span<const std::int64_t> tensors,
                                         std::span<const std::size_t> chunk_begins, bool cuts_last,
                                         std::int64_t limit);

// The same as fillBuckets for buckets that never exceed their limit: one is sent before a tensor that would
// make it do so, as DeepSpeed's ZeRO does (reduce_independent_p_g_buckets_and_remove_grads). A larger tensor
// goes alone.
std::vector<BucketSize> fillBucketsWithin(std::span<const std::int64_t> tensors, std::int64_t limit);

} // namespace shardscope

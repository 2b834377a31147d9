#include "core/prediction/gradient_buckets.h"

#include <algorithm>

namespace shardscope
{

namespace
{

void count(std::vector<BucketSize>& buckets, std::int64_t elements)
{
    const auto same = std::find_if(buckets.begin(), buckets.end(),
                                   [&](const BucketSize& bucket) { return bucket.elements == elements; });
    if (same == buckets.end())
        buckets.push_back({elements, 1});
    else
        ++same->count;
}

} // namespace

std::vector<BucketSize> fillBuckets(std::span<const std::int64_t> tensors, std::int64_t first_limit,
                                    std::int64_t limit)
{
    std::vector<BucketSize> buckets;
    std::int64_t held = 0;
    std::int64_t current_limit = first_limit;
    for (const std::int64_t elements : tensors) {
        held += elements;
        if (held < current_limit)
            continue;
        count(buckets, held);
        held = 0;
        current_limit = limit;
    }
    if (held > 0)
        count(buckets, held);
    return buckets;
}

std::vector<BucketSize> fillBucketsWithin(std::span<const std::int64_t> tensors, std::int64_t limit)
{
    std::vector<BucketSize> buckets;
    std::int64_t held = 0;
    for (const std::int64_t elements : tensors) {
        if (held > 0 && held + elements > limit) {
            count(buckets, held);
            held = 0;
        }
        held += elements;
    }
    if (held > 0)
        count(buckets, held);
    return buckets;
}

} // namespace shardscope

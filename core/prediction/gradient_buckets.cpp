#include "core/prediction/gradient_buckets.h"

#include <algorithm>
#include <numeric>

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

std::vector<BucketSize> fillChunkBuckets(std::span<const std::int64_t> tensors,
                                         std::span<const std::size_t> chunk_begins, bool cuts_last,
                                         std::int64_t limit)
{
    std::vector<BucketSize> buckets;
    std::size_t begin = 0;
    for (const std::size_t end : chunk_begins) {
        const auto chunk = tensors.subspan(begin, end - begin);
        if (!chunk.empty())
            count(buckets, std::accumulate(chunk.begin(), chunk.end(), std::int64_t{0}));
        begin = end;
    }
    const auto last = tensors.subspan(begin);
    const std::int64_t whole = std::accumulate(last.begin(), last.end(), std::int64_t{0});
    if (cuts_last)
        for (const BucketSize& bucket : fillBuckets(last, limit, limit))
            for (std::int64_t i = 0; i < bucket.count; ++i)
                count(buckets, bucket.elements);
    else if (whole > 0)
        count(buckets, whole);
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

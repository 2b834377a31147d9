#include "core/prediction/messages/gradient_buckets.h"

#include <algorithm>
#include <limits>

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
                                    std::int64_t limit, std::int64_t alignment)
{
    std::vector<BucketSize> buckets;
    std::int64_t held = 0;
    std::int64_t current_limit = first_limit;
    for (const std::int64_t elements : tensors) {
        held = (held + alignment - 1) / alignment * alignment + elements;
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
                                         std::span<const std::size_t> chunk_begins, const ChunkRules& rules)
{
    constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
    std::vector<BucketSize> buckets;
    const auto fill = [&](std::size_t begin, std::size_t end, std::int64_t limit) {
        for (const BucketSize& bucket :
             fillBuckets(tensors.subspan(begin, end - begin), limit, limit, rules.alignment))
            for (std::int64_t i = 0; i < bucket.count; ++i)
                count(buckets, bucket.elements);
    };
    std::size_t begin = 0;
    const auto fillUntil = [&](std::size_t end, std::int64_t limit) {
        if (rules.own && *rules.own >= begin && *rules.own < end) {
            fill(begin, *rules.own, limit);
            fill(*rules.own, *rules.own + 1, limit);
            begin = *rules.own + 1;
        }
        fill(begin, end, limit);
        begin = end;
    };
    for (const std::size_t end : chunk_begins)
        fillUntil(end, unlimited);
    fillUntil(tensors.size(), rules.cuts_last ? rules.limit : unlimited);
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

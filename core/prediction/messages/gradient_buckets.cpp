#include "core/prediction/messages/gradient_buckets.h"

#include <algorithm>
#include <limits>

namespace shardscope
{

namespace
{

// Those of the tensors from `begin` to `end`.
void fill(Buckets& buckets, std::span<const std::int64_t> tensors, std::size_t begin, std::size_t end,
          std::int64_t first_limit, std::int64_t limit, std::int64_t alignment)
{
    std::int64_t held = 0;
    std::int64_t current_limit = first_limit;
    for (std::size_t i = begin; i < end; ++i) {
        held = (held + alignment - 1) / alignment * alignment + tensors[i];
        if (held < current_limit)
            continue;
        buckets.add(held, i + 1);
        held = 0;
        current_limit = limit;
    }
    if (held > 0)
        buckets.add(held, end);
}

} // namespace

void Buckets::add(std::int64_t elements, std::size_t end)
{
    auto same = std::ranges::find(sizes, elements, &BucketSize::elements);
    if (same == sizes.end())
        same = sizes.insert(same, {elements, 0});
    ++same->count;
    order.push_back({static_cast<std::size_t>(same - sizes.begin()), end});
}

Buckets fillBuckets(std::span<const std::int64_t> tensors, std::int64_t first_limit, std::int64_t limit,
                    std::int64_t alignment)
{
    Buckets buckets;
    fill(buckets, tensors, 0, tensors.size(), first_limit, limit, alignment);
    return buckets;
}

Buckets fillChunkBuckets(std::span<const std::int64_t> tensors, std::span<const std::size_t> chunk_begins,
                         const ChunkRules& rules)
{
    constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
    Buckets buckets;
    std::size_t begin = 0;
    const auto fillUntil = [&](std::size_t end, std::int64_t limit) {
        const auto fillTo = [&](std::size_t next) {
            fill(buckets, tensors, begin, next, limit, limit, rules.alignment);
            begin = next;
        };
        if (rules.own && *rules.own >= begin && *rules.own < end) {
            fillTo(*rules.own);
            fillTo(*rules.own + 1);
        }
        fillTo(end);
    };
    for (const std::size_t end : chunk_begins)
        fillUntil(end, unlimited);
    fillUntil(tensors.size(), rules.cuts_last ? rules.limit : unlimited);
    return buckets;
}

Buckets fillBucketsWithin(std::span<const std::int64_t> tensors, std::int64_t limit)
{
    Buckets buckets;
    std::int64_t held = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (held > 0 && held + tensors[i] > limit) {
            buckets.add(held, i);
            held = 0;
        }
        held += tensors[i];
    }
    if (held > 0)
        buckets.add(held, tensors.size());
    return buckets;
}

} // namespace shardscope

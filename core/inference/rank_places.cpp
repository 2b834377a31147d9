#include "core/inference/rank_places.h"

#include "core/prediction/ranks/rank_layout.h"

#include <algorithm>
#include <array>
#include <set>

namespace shardscope
{

namespace
{

constexpr std::array<RankOrder, 2> known_orders{
    megatron_rank_order, {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp}};

bool embeds(const RankShapes& one)
{
    return one.shapes.embeddings > 0;
}

// The order in which the ranks that embed words are those of the first stage.
RankOrder orderOf(const std::vector<RankShapes>& ranks, Parallel parallel)
{
    for (const RankOrder& order : known_orders) {
        parallel.rank_order = order;
        const RankLayout layout{parallel};
        const bool fits = std::ranges::all_of(ranks, [&](const RankShapes& one) {
            return embeds(one) == (layout.coordinates(one.rank).pp == 0);
        });
        if (fits)
            return order;
    }
    return known_orders.front();
}

} // namespace

RankPlaces placesOf(const std::vector<RankShapes>& ranks, std::int64_t world_size, const DegreesTold& told)
{
    RankPlaces places;
    const LayerShapes& shapes = ranks.front().shapes;
    Parallel& parallel = places.parallel;
    parallel.tensor = std::max<std::int64_t>(1, shapes.hidden_size / shapes.attention_width);
    parallel.sequence_parallel = parallel.tensor > 1 && shapes.norm_tokens > 0
                                 && shapes.norm_tokens * parallel.tensor == shapes.tokens();
    std::set<std::int64_t> read;
    for (const RankShapes& one : ranks)
        read.insert(one.rank);
    places.all_ranks_read = static_cast<std::int64_t>(read.size()) == world_size;
    places.first_stage_ranks = std::ranges::count_if(ranks, embeds);
    const bool one_has_both =
        std::ranges::any_of(ranks, [](const RankShapes& one) { return embeds(one) && one.shapes.heads > 0; });
    if (one_has_both)
        parallel.pipeline = 1;
    else if (places.all_ranks_read && places.first_stage_ranks > 0)
        parallel.pipeline = world_size / places.first_stage_ranks;
    else
        parallel.pipeline = std::max<std::int64_t>(1, told.pipeline);
    parallel.context = std::max<std::int64_t>(1, told.context);
    const std::int64_t replica = parallel.pipeline * parallel.tensor * parallel.context;
    parallel.data = std::max<std::int64_t>(1, world_size / replica);
    if (replica * parallel.data == world_size)
        parallel.rank_order = orderOf(ranks, parallel);
    return places;
}

} // namespace shardscope

#include "core/inference/rank_places.h"

#include "core/prediction/ranks/rank_layout.h"
#include "core/scenario/rank_order.h"

#include <algorithm>
#include <set>

namespace shardscope
{

namespace
{

bool embeds(const RankShapes& one)
{
    return one.shapes.embeddings > 0;
}

bool hasHead(const RankShapes& one)
{
    return one.shapes.heads > 0;
}

// The orders in which the ranks that embed words are those of the first stage, and those with the output
// layer of the last. An end that no rank read has may be on others, or be no operator that is known.
std::vector<RankOrder> ordersOf(const std::vector<RankShapes>& ranks, Parallel parallel)
{
    std::vector<RankOrder> fitting;
    const bool show_heads = std::ranges::any_of(ranks, hasHead);
    const bool show_words = show_heads || std::ranges::any_of(ranks, embeds);
    for (const RankOrder& order : usual_rank_orders) {
        parallel.rank_order = order;
        const RankLayout layout{parallel};
        const bool fits = std::ranges::all_of(ranks, [&](const RankShapes& one) {
            const int stage = layout.coordinates(one.rank).pp;
            return (!show_words || embeds(one) == (stage == 0))
                   && (!show_heads || hasHead(one) == (stage == parallel.pipeline - 1));
        });
        if (fits)
            fitting.push_back(order);
    }
    return fitting;
}

// With so many stages; data parallelism is what is left of the ranks.
RankPlaces withStages(RankPlaces places, std::int64_t stages, StagesFrom from,
                      const std::vector<RankShapes>& ranks, std::int64_t world_size)
{
    Parallel& parallel = places.parallel;
    parallel.pipeline = stages;
    places.stages_from = from;
    const std::int64_t replica = stages * parallel.tensor * parallel.context;
    parallel.data = std::max<std::int64_t>(1, world_size / replica);
    if (replica * parallel.data != world_size)
        return places;
    places.other_orders = ordersOf(ranks, parallel);
    parallel.rank_order =
        places.other_orders.empty() ? usual_rank_orders.front() : places.other_orders.front();
    if (!places.other_orders.empty())
        places.other_orders.erase(places.other_orders.begin());
    if (parallel.pipeline == 1 || parallel.data == 1) // all orders are the same
        places.other_orders.clear();
    return places;
}

// One for each number of stages that fits the ranks read; for each that the run's size allows where none
// does.
std::vector<RankPlaces> fittingPlaces(const RankPlaces& places, const std::vector<RankShapes>& ranks,
                                      std::int64_t world_size)
{
    std::vector<RankPlaces> possible;
    std::vector<RankPlaces> fitting;
    const std::int64_t stage_ranks = places.parallel.tensor * places.parallel.context;
    constexpr std::int64_t most_stages = 1024; // a world's size may be a wrong number
    for (std::int64_t stages = 1; stages <= std::min(world_size / stage_ranks, most_stages); ++stages) {
        if (world_size % (stages * stage_ranks) != 0)
            continue;
        possible.push_back(withStages(places, stages, StagesFrom::fits, ranks, world_size));
        if (!ordersOf(ranks, possible.back().parallel).empty())
            fitting.push_back(possible.back());
    }
    if (possible.empty())
        possible.push_back(withStages(places, 1, StagesFrom::fits, ranks, world_size));
    if (fitting.size() == 1)
        fitting.front().stages_from = StagesFrom::only_fit;
    return fitting.empty() ? possible : fitting;
}

} // namespace

std::vector<RankPlaces> placesOf(const std::vector<RankShapes>& ranks, std::int64_t world_size,
                                 const DegreesTold& told)
{
    RankPlaces places;
    const LayerShapes& shapes = ranks.front().shapes;
    Parallel& parallel = places.parallel;
    parallel.tensor = std::max<std::int64_t>(1, shapes.hidden_size / shapes.attention_width);
    parallel.context = std::max<std::int64_t>(1, told.context);
    parallel.sequence_parallel = parallel.tensor > 1 && shapes.norm_tokens > 0
                                 && shapes.norm_tokens * parallel.tensor == shapes.tokens();
    std::set<std::int64_t> read;
    for (const RankShapes& one : ranks)
        read.insert(one.rank);
    places.all_ranks_read = static_cast<std::int64_t>(read.size()) == world_size;
    places.first_stage_ranks = std::ranges::count_if(ranks, embeds);
    const bool one_has_both =
        std::ranges::any_of(ranks, [](const RankShapes& one) { return embeds(one) && hasHead(one); });
    if (one_has_both)
        return {withStages(places, 1, StagesFrom::both_ends, ranks, world_size)};
    if (places.all_ranks_read && places.first_stage_ranks > 0)
        return {withStages(places, world_size / places.first_stage_ranks, StagesFrom::first_stage, ranks,
                           world_size)};
    if (told.pipeline > 0)
        return {withStages(places, told.pipeline, StagesFrom::group_size, ranks, world_size)};
    return fittingPlaces(places, ranks, world_size);
}

} // namespace shardscope

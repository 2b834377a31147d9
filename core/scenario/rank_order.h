#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Megatron's, and the custom mapping of Li et al. 2024.
inline constexpr std::array<RankOrder, 2> usual_rank_orders{
    megatron_rank_order, {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp}};

// "tp", "pp" ...
std::string_view word(Dimension dimension);

// "tp-dp-pp", innermost first. What is missing is put in Megatron's place: tp first, cp and ep behind it, dp
// before pp, pp last; so "tp-pp-dp" is tp-cp-ep-pp-dp. Error: a dimension that is not one, or is there twice.
Result<RankOrder> rankOrderFromWord(std::string_view word);

// All five dimensions, or without cp and ep where those are of size 1 and stand in Megatron's place.
std::string rankOrderWord(const RankOrder& order, bool with_cp_and_ep);

// How many places a dimension has. ep splits the ranks of dp and cp, so it has none of its own: 1.
std::int64_t sizeOf(const Parallel& parallel, Dimension dimension);

// Whether every rank has the same place in both.
bool placeRanksAlike(const Parallel& a, const Parallel& b);

// Orders that lay the pipeline's stages over the ranks otherwise than parallel.rank_order does, one for each
// way to do so: a usual one, else one that keeps the order of the other dimensions as far as it can. The
// usual ones go first.
std::vector<RankOrder> ordersOfOtherStages(const Parallel& parallel);

} // namespace shardscope

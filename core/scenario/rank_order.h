#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <string>
#include <string_view>

namespace shardscope
{

// "tp", "pp" ...
std::string_view word(Dimension dimension);

// "tp-dp-pp", innermost first. What is missing is put in Megatron's place: tp first, cp and ep behind it, dp
// before pp, pp last; so "tp-pp-dp" is tp-cp-ep-pp-dp. Error: a dimension that is not one, or is there twice.
Result<RankOrder> rankOrderFromWord(std::string_view word);

// All five dimensions, or without cp and ep where those are of size 1 and stand in Megatron's place.
std::string rankOrderWord(const RankOrder& order, bool with_cp_and_ep);

// How many places a dimension has. ep splits the ranks of dp and cp, so it has none of its own: 1.
std::int64_t sizeOf(const Parallel& parallel, Dimension dimension);

} // namespace shardscope

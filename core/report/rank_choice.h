#pragma once

#include "core/base/result.h"
#include "core/prediction/messages/rank_parts.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// Which ranks a prediction's report lists: by default all up to 64, above one for each (stage, place) that
// differs.
struct RankChoice {
    enum class Mode : std::uint8_t { classes, all, none, listed } mode = Mode::classes;
    std::vector<std::int64_t> listed;
};

// "all", "none", or numbers: "0,8,16". Error: what else it is.
Result<RankChoice> rankChoiceFromWord(std::string_view word);

// The ranks in the order in which they are listed; the first that plays a part stands for all that do. Error:
// a listed rank that the world does not have.
Result<std::vector<std::int64_t>> chosenRanks(const RankChoice& choice, const RankLayout& layout,
                                              const RankParts& parts);

} // namespace shardscope

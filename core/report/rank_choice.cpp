#include "core/report/rank_choice.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <string>

namespace shardscope
{

Result<RankChoice> rankChoiceFromWord(std::string_view word)
{
    RankChoice choice;
    if (word == "all" || word == "none") {
        choice.mode = word == "all" ? RankChoice::Mode::all : RankChoice::Mode::none;
        return choice;
    }
    choice.mode = RankChoice::Mode::listed;
    for (std::size_t start = 0; start <= word.size();) {
        const std::size_t end = std::min(word.find(',', start), word.size());
        const std::string_view part = word.substr(start, end - start);
        std::int64_t rank = 0;
        const auto read = std::from_chars(part.data(), part.data() + part.size(), rank);
        if (part.empty() || read.ec != std::errc{} || read.ptr != part.data() + part.size() || rank < 0)
            return Error{"\"" + std::string{word}
                         + "\" is no choice of ranks; give all, none, or ranks like 0,8,16"};
        choice.listed.push_back(rank);
        start = end + 1;
    }
    return choice;
}

Result<std::vector<std::int64_t>> chosenRanks(const RankChoice& choice, const RankLayout& layout,
                                              const RankParts& parts)
{
    constexpr std::int64_t listed_by_default = 64;
    const std::int64_t world = layout.worldSize();
    std::vector<std::int64_t> ranks;
    switch (choice.mode) {
    case RankChoice::Mode::none:
        break;
    case RankChoice::Mode::listed:
        for (const std::int64_t rank : choice.listed)
            if (rank >= world)
                return Error{"there is no rank " + std::to_string(rank) + " among " + std::to_string(world)
                             + " GPUs; the last one is " + std::to_string(world - 1)};
        ranks = choice.listed;
        break;
    case RankChoice::Mode::classes:
        if (world > listed_by_default) {
            for (std::size_t part = 0; part < parts.size(); ++part)
                if (const RankCoordinates place = parts.firstPlace(part); parts.part(place) == part)
                    ranks.push_back(layout.rank(place));
            break;
        }
        [[fallthrough]];
    case RankChoice::Mode::all:
        ranks.resize(static_cast<std::size_t>(world));
        std::iota(ranks.begin(), ranks.end(), 0);
        break;
    }
    return ranks;
}

} // namespace shardscope

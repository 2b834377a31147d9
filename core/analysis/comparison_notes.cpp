#include "core/analysis/comparison_notes.h"

#include "core/base/format.h"

namespace shardscope
{

std::string sentenceOf(Shown shown)
{
    switch (shown) {
    case Shown::as_all_to_all:
        return "gloo has no reduce_scatter: it shows an all_to_all of the same input";
    case Shown::by_its_part:
        return "the trace shows an all_gather by the rank's own part";
    case Shown::in_fp32:
        return "gloo sums bf16 as fp32: it shows twice the bytes";
    case Shown::no:
    case Shown::as_it_is:
        break;
    }
    return {};
}

std::string noteOfMapping(const RankOrder& order, const RankOrder& of_run)
{
    return "the mapping differs: " + rankOrderWord(of_run, false) + " in the traces, "
           + rankOrderWord(order, false) + " in the scenario; each rank is compared with its own place";
}

std::string noteOfLeftOut(const std::vector<std::int64_t>& ranks, std::int64_t world_size)
{
    const auto others = static_cast<std::int64_t>(ranks.size()) - 1;
    const std::string first = "rank " + std::to_string(ranks.front());
    const std::string scenarios = std::to_string(world_size);
    return others == 0 ? first + " is not one of the scenario's " + scenarios + ": it is left out"
                       : first + " and " + countedSentence(others, "1 other", "# others")
                             + " are none of the scenario's " + scenarios + ": they are left out";
}

std::string noteOfForwardOnly()
{
    return "no backward pass was recorded: calls and times are held against those that the scenario predicts "
           "of an iteration's forward passes; how long an iteration takes is not compared";
}

} // namespace shardscope

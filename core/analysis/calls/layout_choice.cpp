#include "core/analysis/calls/layout_choice.h"

#include "core/analysis/calls/layout_kinds.h"
#include "core/base/format.h"
#include "core/scenario/rank_order.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace shardscope
{

namespace
{

bool isCertainOfItsRank(const TraceFile& file)
{
    return file.rank_is_known
           && (file.rank_guess == RankGuess::none || file.rank_guess == RankGuess::folder_name);
}

// Files tell their ranks, and nothing of who is in a group with whom.
bool isMappingUntold(const TraceSet& traces, const CallList& list)
{
    return std::ranges::all_of(list.calls, [&](const Call& call) {
        return call.members < 0 && isCertainOfItsRank(traces.files[call.file]);
    });
}

bool toldSomething(const CallList& list)
{
    return std::ranges::any_of(
        list.calls, [](const Call& call) { return call.members >= 0 || call.kind_from == "layout"; });
}

std::optional<std::int64_t> iterationsOf(const AnalysisOptions& options)
{
    return options.step ? std::optional{std::int64_t{1}} : std::nullopt;
}

// The order of the known layout, where it differs from the open one in nothing else that places ranks.
std::optional<RankOrder> orderOfKnown(const Scenario& open, const Scenario& known)
{
    Parallel ordered = open.parallel;
    ordered.rank_order = known.parallel.rank_order;
    if (placeRanksAlike(open.parallel, known.parallel) || !placeRanksAlike(ordered, known.parallel))
        return std::nullopt;
    return known.parallel.rank_order;
}

// The order that explains the most calls, if it explains half of what the open layout leaves.
std::optional<RankOrder> orderThatExplains(const TraceSet& traces, const AnalysisOptions& options,
                                           const CallList& untold, const LayoutMisfit& of_open)
{
    std::optional<RankOrder> best;
    LayoutMisfit most{of_open.unknown_calls, of_open.differing_classes / 2};
    Scenario other = *options.layout;
    for (const RankOrder& order : ordersOfOtherStages(options.layout->parallel)) {
        other.parallel.rank_order = order;
        const auto misfit = misfitOfLayout(traces, other, untold, most, iterationsOf(options));
        if (!misfit || (best && !(*misfit < most)))
            continue;
        best = order;
        most = *misfit;
        if (most.isNone())
            break;
    }
    return best;
}

std::string noteOfOrder(const RankOrder& open, const RankOrder& of_run)
{
    return "the traces are of another mapping than the scenario: what single ranks sent is that of "
           + rankOrderWord(of_run, false) + ", not of " + rankOrderWord(open, false)
           + "; groups and pairs of ranks are those of " + rankOrderWord(of_run, false);
}

std::string noteOfMisfit(const LayoutMisfit& misfit)
{
    return countedSentence(misfit.differing_classes, "one kind and size of a rank's calls is",
                           "# kinds and sizes of single ranks' calls are")
           + " not there as often as the scenario says: groups and pairs that only its layout tells may not "
             "be the run's";
}

} // namespace

LayoutChoice findKindsByLayouts(const TraceSet& traces, const AnalysisOptions& options, CallList& list,
                                std::vector<std::string>& notes)
{
    if (!options.layout)
        return {};
    const Scenario& open = *options.layout;
    const bool may_reorder = !options.layout_is_on_trial && isMappingUntold(traces, list);
    CallList untold = options.known_layout || may_reorder ? list : CallList{};
    std::vector<std::string> open_notes;
    const LayoutMisfit misfit = findKindsByLayout(traces, open, list, open_notes, iterationsOf(options));
    if (options.known_layout && !misfit.isNone()) {
        CallList by_known = untold;
        std::vector<std::string> known_notes;
        const Scenario& known = *options.known_layout;
        if (findKindsByLayout(traces, known, by_known, known_notes, iterationsOf(options)) < misfit) {
            list = std::move(by_known);
            std::ranges::move(known_notes, std::back_inserter(notes));
            return {&known, may_reorder ? orderOfKnown(open, known) : std::nullopt};
        }
    }
    std::ranges::move(open_notes, std::back_inserter(notes));
    const bool has_served = misfit.differing_classes < std::numeric_limits<std::int64_t>::max();
    if (!may_reorder || misfit.isNone() || !has_served || !toldSomething(list))
        return {&open, std::nullopt};
    const std::optional<RankOrder> order = orderThatExplains(traces, options, untold, misfit);
    if (!order) {
        notes.push_back(noteOfMisfit(misfit));
        return {&open, std::nullopt};
    }
    Scenario reordered = open;
    reordered.parallel.rank_order = *order;
    list = std::move(untold);
    findKindsByLayout(traces, reordered, list, notes, iterationsOf(options));
    notes.push_back(noteOfOrder(open.parallel.rank_order, *order));
    return {&open, order};
}

} // namespace shardscope

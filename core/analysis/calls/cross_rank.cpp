#include "core/analysis/calls/cross_rank.h"

#include "core/analysis/calls/transfer_rows.h"
#include "core/base/median.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

namespace shardscope
{

namespace
{

// How far each rank's clock is ahead; one that is not in it counts as right.

TraceTime startOf(const Call& call, const ClockOffsets& offsets)
{
    const auto offset = offsets.find(call.rank);
    return call.start - (offset == offsets.end() ? 0 : offset->second);
}

TraceTime endOf(const Call& call, const ClockOffsets& offsets = {})
{
    return startOf(call, offsets) + call.duration_ns;
}

// Of several the one of the lowest rank.
const Call& lastToStart(const MatchedCall& one, const ClockOffsets& offsets)
{
    return **std::ranges::max_element(one.calls, {},
                                      [&](const Call* call) { return startOf(*call, offsets); });
}

// How far one rank's clock is ahead of another's, from the ends of the calls that they share.
struct ClockEdge {
    std::int64_t rank = 0;
    std::int64_t other = 0;
    std::int64_t ahead_ns = 0; // other's clock
    std::size_t calls = 0;
    bool is_point_to_point = false;
};

std::vector<ClockEdge> clockEdges(const std::vector<MatchedCall>& matched)
{
    std::map<std::tuple<bool, std::int64_t, std::int64_t>, std::vector<std::int64_t>> differences;
    for (const MatchedCall& one : matched)
        for (std::size_t i = 1; i < one.calls.size(); ++i)
            differences[{one.is_point_to_point, one.calls[0]->rank, one.calls[i]->rank}].push_back(
                endOf(*one.calls[i]) - endOf(*one.calls[0]));
    std::vector<ClockEdge> edges;
    for (auto& [key, values] : differences) {
        const std::size_t count = values.size();
        edges.push_back(
            {std::get<1>(key), std::get<2>(key), median(std::move(values)), count, std::get<0>(key)});
    }
    return edges;
}

struct EstimatedClocks {
    ClockOffsets offsets;
    std::size_t fewest_calls = 0; // that tell one of them
};

// Walks from the lowest rank along the edges with the most calls; sends, which may end before they arrive,
// only where no collective leads.
EstimatedClocks clockOffsets(std::vector<ClockEdge> edges, const std::vector<std::int64_t>& ranks)
{
    EstimatedClocks clocks;
    ClockOffsets& offsets = clocks.offsets;
    if (ranks.empty() || edges.empty())
        return clocks;
    clocks.fewest_calls = std::numeric_limits<std::size_t>::max();
    std::stable_sort(edges.begin(), edges.end(), [](const ClockEdge& a, const ClockEdge& b) {
        return std::pair{a.is_point_to_point, b.calls} < std::pair{b.is_point_to_point, a.calls};
    });
    offsets[*std::min_element(ranks.begin(), ranks.end())] = 0;
    for (bool grown = true; grown;) {
        grown = false;
        for (const ClockEdge& edge : edges) {
            const auto from = offsets.find(edge.rank);
            const auto to = offsets.find(edge.other);
            if ((from == offsets.end()) == (to == offsets.end()))
                continue;
            if (to == offsets.end())
                offsets[edge.other] = from->second + edge.ahead_ns;
            else
                offsets[edge.rank] = to->second - edge.ahead_ns;
            clocks.fewest_calls = std::min(clocks.fewest_calls, edge.calls);
            grown = true;
            break;
        }
    }
    return clocks;
}

// Collectives end together; messages tell only where there is nothing else.
std::vector<const MatchedCall*> callsThatEndTogether(const std::vector<MatchedCall>& matched)
{
    const bool has_collectives =
        std::ranges::any_of(matched, [](const MatchedCall& one) { return !one.is_point_to_point; });
    std::vector<const MatchedCall*> calls;
    for (const MatchedCall& one : matched)
        if (!one.is_point_to_point || !has_collectives)
            calls.push_back(&one);
    return calls;
}

// Between the first and the last end of each call, with the clocks' offsets taken out.
std::vector<std::int64_t> endSpreads(const std::vector<const MatchedCall*>& matched,
                                     const ClockOffsets& offsets)
{
    std::vector<std::int64_t> spreads;
    for (const MatchedCall* one : matched) {
        std::vector<std::int64_t> ends;
        for (const Call* call : one->calls)
            ends.push_back(endOf(*call, offsets));
        const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
        spreads.push_back(*last - *first);
    }
    return spreads;
}

bool mayBeSeveral(const MatchedCall& one)
{
    return one.may_be_shifted || differs(one);
}

// No clock is a year ahead, not even one that counts from when its machine was started: one of the files has
// lost what its times count from.
bool areImpossible(const ClockOffsets& offsets)
{
    constexpr std::int64_t year_ns = std::int64_t{365} * 24 * 3600 * 1'000'000'000;
    if (offsets.empty())
        return false;
    const auto [least, greatest] =
        std::ranges::minmax_element(offsets, {}, &ClockOffsets::value_type::second);
    return greatest->second - least->second > year_ns;
}

// Fills in how well the clocks' offsets explain the ends. What one or two among many calls tell of a rank is
// lost in the medians: they may be odd ones.
void judgeAlignment(const std::vector<MatchedCall>& matched, std::size_t fewest_calls, CrossRank& across)
{
    constexpr std::size_t telling_calls = 3;
    constexpr std::size_t many = 10; // times as many
    const std::vector<const MatchedCall*> telling = callsThatEndTogether(matched);
    std::vector<std::int64_t> shortest_times;
    for (const MatchedCall* one : telling)
        shortest_times.push_back(transferTime(*one));
    across.alignment_median_ns = median(endSpreads(telling, {}));
    across.alignment_spread_ns = median(endSpreads(telling, across.clock_offset_ns));
    // Ends of one collective lie microseconds apart on good clocks; where they stay a millisecond and a tenth
    // of a call's length apart, calls are missing or were matched wrongly.
    constexpr std::int64_t trusted_spread_ns = 1'000'000;
    across.alignment_trusted =
        !across.clock_offset_ns.empty()
        && (fewest_calls >= telling_calls || telling.size() < many * fewest_calls)
        && !areImpossible(across.clock_offset_ns) && std::ranges::none_of(matched, mayBeSeveral)
        && across.alignment_spread_ns <= across.alignment_median_ns // one clock for all needs no offsets
        && across.alignment_spread_ns <= std::max(trusted_spread_ns, median(std::move(shortest_times)) / 10);
}

// Who of each call came last, by the clocks without these offsets, and what that cost the others.
std::vector<MatchFigures> matchFigures(const std::vector<MatchedCall>& matched,
                                       const std::vector<std::size_t>& group_rows,
                                       const ClockOffsets& offsets)
{
    std::vector<MatchFigures> figures;
    figures.reserve(matched.size());
    for (std::size_t place = 0; place < matched.size(); ++place) {
        const MatchedCall& one = matched[place];
        const Call& last = lastToStart(one, offsets);
        MatchFigures of_call{
            .transfer_ns = transferTime(one), .last_rank = last.rank, .group_row = group_rows[place]};
        for (const Call* call : one.calls) {
            const std::int64_t wait_ns = call->duration_ns - of_call.transfer_ns;
            of_call.delay_ns += call != &last ? wait_ns : 0;
            of_call.longest_wait_ns = std::max(of_call.longest_wait_ns, wait_ns);
        }
        figures.push_back(of_call);
    }
    return figures;
}

std::string_view nameOn(std::int64_t rank, const MatchedCall& one)
{
    return (*std::ranges::find(one.calls, rank, &Call::rank))->name;
}

// Every rank of `ranks`.
std::vector<Straggler> stragglers(const std::vector<MatchedCall>& matched,
                                  const std::vector<MatchFigures>& figures,
                                  const std::vector<std::int64_t>& ranks)
{
    std::map<std::int64_t, Straggler> found;
    for (const std::int64_t rank : ranks)
        found[rank].rank = rank;
    for (std::size_t place = 0; place < matched.size(); ++place) {
        for (const Call* call : matched[place].calls)
            ++found[call->rank].calls;
        const MatchFigures& one = figures[place];
        Straggler& straggler = found[one.last_rank];
        ++straggler.last;
        straggler.delay_ns += one.delay_ns;
        if (one.delay_ns > straggler.longest_delay_ns) {
            straggler.longest_delay_ns = one.delay_ns;
            straggler.longest_call = nameOn(one.last_rank, matched[place]);
        }
    }
    std::vector<Straggler> rows;
    for (auto& [rank, straggler] : found)
        rows.push_back(std::move(straggler));
    std::ranges::stable_sort(rows, std::greater{}, &Straggler::delay_ns);
    return rows;
}

} // namespace

ClockOffsets offsetsToTakeOut(const CrossRank& across)
{
    const bool explain = across.alignment_spread_ns <= across.alignment_median_ns / 2;
    return across.alignment_trusted && explain ? across.clock_offset_ns : ClockOffsets{};
}

CrossRank measureAcrossRanks(const std::vector<MatchedCall>& matched, const std::vector<std::int64_t>& ranks)
{
    CrossRank across;
    for (const std::int64_t rank : ranks) {
        across.wait_ns[rank] = 0;
        across.last_starter[rank] = 0;
    }
    for (const MatchedCall& one : matched) {
        const std::int64_t transfer_ns = transferTime(one);
        for (const Call* call : one.calls)
            across.wait_ns[call->rank] += call->duration_ns - transfer_ns;
        across.transfer_ns += transfer_ns;
        ++across.last_starter[lastToStart(one, {}).rank];
        ++across.matched;
    }
    across.transfers = transferRows(matched);
    std::vector<std::size_t> group_rows;
    across.group_transfers = groupTransferRows(matched, group_rows);
    EstimatedClocks clocks = clockOffsets(clockEdges(matched), ranks);
    across.clock_offset_ns = std::move(clocks.offsets);
    judgeAlignment(matched, clocks.fewest_calls, across);
    // A clock that is ahead makes its rank look late, so offsets are taken out before one is blamed.
    across.matches = matchFigures(matched, group_rows, offsetsToTakeOut(across));
    across.stragglers = stragglers(matched, across.matches, ranks);
    for (const Straggler& straggler : across.stragglers)
        across.delay_caused_ns[straggler.rank] = straggler.delay_ns;
    return across;
}

void noteImpossibleClocks(const CrossRank& across, std::vector<std::string>& notes)
{
    if (areImpossible(across.clock_offset_ns))
        notes.push_back(
            "clocks lie more than a year apart: one of the traces has lost what its times count from "
            "(baseTimeNanoseconds), and who starts last does not show");
}

} // namespace shardscope

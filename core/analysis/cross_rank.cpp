#include "core/analysis/cross_rank.h"

#include "core/analysis/transfer_rows.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace shardscope
{

namespace
{

// Of several the one of the lowest rank.
const Call& lastToStart(const MatchedCall& one)
{
    return **std::ranges::max_element(one.calls, {}, &Call::start);
}

std::int64_t endOf(const Call& call)
{
    return call.start + call.duration_ns;
}

std::int64_t median(std::vector<std::int64_t> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : values[half - 1] + (values[half] - values[half - 1]) / 2;
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

// Walks from the lowest rank along the edges with the most calls; sends, which may end before they arrive,
// only where no collective leads.
std::map<std::int64_t, std::int64_t> clockOffsets(std::vector<ClockEdge> edges,
                                                  const std::vector<std::int64_t>& ranks)
{
    std::map<std::int64_t, std::int64_t> offsets;
    if (ranks.empty() || edges.empty())
        return offsets;
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
            grown = true;
            break;
        }
    }
    return offsets;
}

// Between the first and the last end of each collective, with the clocks' offsets taken out.
std::vector<std::int64_t> endSpreads(const std::vector<MatchedCall>& matched,
                                     const std::map<std::int64_t, std::int64_t>& offsets)
{
    std::vector<std::int64_t> spreads;
    for (const MatchedCall& one : matched) {
        if (one.is_point_to_point)
            continue;
        std::vector<std::int64_t> ends;
        for (const Call* call : one.calls) {
            const auto offset = offsets.find(call->rank);
            ends.push_back(endOf(*call) - (offset == offsets.end() ? 0 : offset->second));
        }
        const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
        spreads.push_back(*last - *first);
    }
    return spreads;
}

// Every rank of `across`, whose delays have been added up.
std::vector<Straggler> stragglers(const std::vector<MatchedCall>& matched, const CrossRank& across)
{
    std::map<std::int64_t, Straggler> ranks;
    for (const auto& [rank, last] : across.last_starter)
        ranks[rank] = {.rank = rank,
                       .calls = 0,
                       .last = last,
                       .delay_ns = across.delay_caused_ns.at(rank),
                       .longest_delay_ns = 0,
                       .longest_call = {}};
    for (const MatchedCall& one : matched) {
        const Call& last = lastToStart(one);
        std::int64_t delay_ns = 0;
        for (const Call* call : one.calls) {
            ++ranks[call->rank].calls;
            delay_ns += call != &last ? call->duration_ns - transferTime(one) : 0;
        }
        if (Straggler& straggler = ranks[last.rank]; delay_ns > straggler.longest_delay_ns) {
            straggler.longest_delay_ns = delay_ns;
            straggler.longest_call = last.name;
        }
    }
    std::vector<Straggler> rows;
    for (auto& [rank, straggler] : ranks)
        rows.push_back(std::move(straggler));
    std::ranges::stable_sort(rows, std::greater{}, &Straggler::delay_ns);
    return rows;
}

} // namespace

CrossRank measureAcrossRanks(const std::vector<MatchedCall>& matched, const std::vector<std::int64_t>& ranks)
{
    CrossRank across;
    for (const std::int64_t rank : ranks) {
        across.wait_ns[rank] = 0;
        across.last_starter[rank] = 0;
        across.delay_caused_ns[rank] = 0;
    }
    std::vector<std::int64_t> shortest_times;
    for (const MatchedCall& one : matched) {
        const Call& last = lastToStart(one);
        const std::int64_t transfer_ns = transferTime(one);
        for (const Call* call : one.calls) {
            across.wait_ns[call->rank] += call->duration_ns - transfer_ns;
            if (call != &last)
                across.delay_caused_ns[last.rank] += call->duration_ns - transfer_ns;
        }
        across.transfer_ns += transfer_ns;
        ++across.last_starter[last.rank];
        ++across.matched;
        if (!one.is_point_to_point)
            shortest_times.push_back(transfer_ns);
    }
    across.transfers = transferRows(matched);
    across.group_transfers = groupTransferRows(matched);
    across.stragglers = stragglers(matched, across);
    across.clock_offset_ns = clockOffsets(clockEdges(matched), ranks);
    across.alignment_median_ns = median(endSpreads(matched, {}));
    across.alignment_spread_ns = median(endSpreads(matched, across.clock_offset_ns));
    // Ends of one collective lie microseconds apart on good clocks; where they stay a millisecond and a tenth
    // of a call's length apart, calls are missing or were matched wrongly.
    constexpr std::int64_t trusted_spread_ns = 1'000'000;
    across.alignment_trusted =
        !across.clock_offset_ns.empty()
        && across.alignment_spread_ns <= std::max(trusted_spread_ns, median(std::move(shortest_times)) / 10);
    return across;
}

} // namespace shardscope

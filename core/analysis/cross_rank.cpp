#include "core/analysis/cross_rank.h"

#include <algorithm>
#include <tuple>

namespace shardscope
{

namespace
{

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

std::vector<TransferRow> transferRows(const std::vector<MatchedCall>& matched)
{
    std::map<std::tuple<Kind, Op, std::int64_t, std::int64_t>, std::vector<std::int64_t>> times;
    for (const MatchedCall& one : matched)
        if (const Call& call = *one.calls.front(); call.message_bytes > 0 && call.group_size > 1)
            times[{call.kind, one.is_point_to_point ? Op::send : call.op, call.message_bytes,
                   call.group_size}]
                .push_back(transferTime(one));
    std::vector<TransferRow> rows;
    for (auto& [key, durations] : times) {
        TransferRow row;
        std::tie(row.kind, row.op, row.message_bytes, row.group_size) = key;
        row.count = static_cast<std::int64_t>(durations.size());
        row.median_ns = median(std::move(durations));
        if (row.median_ns > 0) { // bytes by nanosecond are GB by second
            const double time_ns = static_cast<double>(row.median_ns);
            row.algbw_GBps = static_cast<double>(row.message_bytes) / time_ns;
            row.busbw_GBps = wireBytes(row.op, static_cast<int>(row.group_size), row.message_bytes) / time_ns;
        }
        rows.push_back(row);
    }
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
        const auto last = std::max_element(one.calls.begin(), one.calls.end(),
                                           [](const Call* a, const Call* b) { return a->start < b->start; });
        const std::int64_t transfer_ns = transferTime(one);
        for (const Call* call : one.calls) {
            across.wait_ns[call->rank] += call->duration_ns - transfer_ns;
            if (call != *last)
                across.delay_caused_ns[(*last)->rank] += call->duration_ns - transfer_ns;
        }
        across.transfer_ns += transfer_ns;
        ++across.last_starter[(*last)->rank];
        ++across.matched;
        if (!one.is_point_to_point)
            shortest_times.push_back(transfer_ns);
    }
    across.transfers = transferRows(matched);
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

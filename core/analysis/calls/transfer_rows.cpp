#include "core/analysis/calls/transfer_rows.h"

#include "core/base/median.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace shardscope
{

namespace
{

using Key = std::tuple<Kind, Op, std::int64_t, std::int64_t>;

Key keyOf(const MatchedCall& one)
{
    const Call& call = *one.calls.front();
    return {call.kind, one.is_point_to_point ? Op::send : call.op, call.message_bytes, call.group_size};
}

// Takes the shortest times of the calls of one key, in any order.
void fillRow(const Key& key, std::vector<std::int64_t> times_ns, TransferRow& row)
{
    std::tie(row.kind, row.op, row.message_bytes, row.group_size) = key;
    std::ranges::sort(times_ns);
    row.count = static_cast<std::int64_t>(times_ns.size());
    row.min_ns = times_ns.front();
    row.median_ns = medianOfSorted(times_ns);
    row.max_ns = times_ns.back();
    if (row.message_bytes <= 0)
        return;
    // Bytes by nanosecond are GB by second; a time of 0 tells none.
    const auto by = [](double bytes, std::int64_t time_ns) {
        return time_ns > 0 ? bytes / static_cast<double>(time_ns) : 0.0;
    };
    row.algbw_GBps = by(static_cast<double>(row.message_bytes), row.median_ns);
    if (row.group_size <= 1)
        return;
    const double on_wire = wireBytes(row.op, static_cast<int>(row.group_size), row.message_bytes);
    row.busbw_GBps = by(on_wire, row.median_ns);
    row.busbw_min_GBps = by(on_wire, row.max_ns);
    row.busbw_max_GBps = by(on_wire, row.min_ns);
}

bool hasMembers(const MeasuredCall& call)
{
    return call.group_size > 1 && !isPointToPoint(call.op);
}

} // namespace

std::vector<TransferRow> transferRows(const std::vector<MatchedCall>& matched)
{
    std::map<Key, std::vector<std::int64_t>> times;
    for (const MatchedCall& one : matched)
        if (const Call& call = *one.calls.front(); call.message_bytes > 0 && call.group_size > 1)
            times[keyOf(one)].push_back(transferTime(one));
    std::vector<TransferRow> rows;
    for (auto& [key, times_ns] : times) {
        rows.emplace_back();
        fillRow(key, std::move(times_ns), rows.back());
    }
    return rows;
}

std::vector<GroupTransferRow> groupTransferRows(const std::vector<MatchedCall>& matched,
                                                std::vector<std::size_t>& rows_of)
{
    struct Sum {
        std::vector<std::int64_t> times_ns;
        std::vector<std::size_t> places; // in `matched`
        std::int64_t wait_ns = 0;
        const Call* first = nullptr;
        std::set<std::int64_t> ranks;
    };
    // Groups are told apart by their members; those of one name are several where names are used again.
    std::map<std::tuple<int, std::string_view, Key>, Sum> sums;
    for (std::size_t place = 0; place < matched.size(); ++place) {
        const MatchedCall& one = matched[place];
        const Call& call = *one.calls.front();
        Sum& sum = sums[{call.members, call.group, keyOf(one)}];
        const std::int64_t transfer_ns = transferTime(one);
        sum.times_ns.push_back(transfer_ns);
        sum.places.push_back(place);
        sum.first = sum.first ? sum.first : &call;
        for (const Call* member : one.calls) {
            sum.wait_ns += member->duration_ns - transfer_ns;
            sum.ranks.insert(member->rank);
        }
    }
    std::vector<GroupTransferRow> rows;
    rows_of.assign(matched.size(), 0);
    for (auto& [key, sum] : sums) {
        for (const std::size_t place : sum.places)
            rows_of[place] = rows.size();
        GroupTransferRow row;
        fillRow(std::get<2>(key), std::move(sum.times_ns), row);
        row.group = sum.first->group;
        row.description = sum.first->description;
        row.ranks.assign(sum.ranks.begin(), sum.ranks.end());
        row.wait_ns = sum.wait_ns;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::optional<std::string> partlyReadNote(std::span<const MeasuredCall> calls)
{
    struct Members {
        std::int64_t read = 0;
        std::int64_t all = 0;
    };
    std::map<std::int32_t, Members> matches;
    bool has_collectives = false;
    for (const MeasuredCall& call : calls) {
        if (!hasMembers(call))
            continue;
        has_collectives = true;
        if (call.match >= 0) {
            ++matches[call.match].read;
            matches[call.match].all = call.group_size;
        }
    }
    if (has_collectives && matches.empty())
        return "no collective was read of two of its ranks or more: a rank's own time holds its waiting, and "
               "tells no bandwidth";
    const auto partly =
        std::ranges::count_if(matches, [](const auto& one) { return one.second.read < one.second.all; });
    if (partly == 0)
        return std::nullopt;
    return std::to_string(partly) + " of " + std::to_string(matches.size())
           + " matched collectives were read of only some of their ranks: where those waited for others, "
             "the bandwidth was higher than it seems";
}

} // namespace shardscope

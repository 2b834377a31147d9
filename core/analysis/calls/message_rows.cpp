#include "core/analysis/calls/message_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace shardscope
{

namespace
{

struct RowKey {
    Kind kind;
    std::string_view name;
    std::string_view dtype;
    std::int64_t in_bytes;
    std::int64_t out_bytes;
    std::int64_t group_size;
    std::string_view group;
    std::string_view description;
    SizesFrom sizes_from;
    std::string_view kind_from;
    Op op;
    std::int64_t message_bytes;
    auto operator<=>(const RowKey&) const = default;
};

struct EqualCalls {
    std::int64_t duration_ns = 0;
    std::int64_t count = 0;
};

struct RowTimes {
    std::int64_t count = 0;
    std::int64_t outside = 0; // of them, of no step
    std::int64_t timed = 0;   // of them
    std::int64_t sum_ns = 0;
    std::int64_t outside_ns = 0;
    std::int64_t exposed_ns = 0;
    std::vector<EqualCalls> calls;
};

// Of calls by duration the n-th, from 0.
std::int64_t nthDuration(const std::vector<EqualCalls>& calls, std::int64_t n)
{
    auto found = calls.begin();
    for (; n >= found->count; ++found)
        n -= found->count;
    return found->duration_ns;
}

RowKey rowKeyOf(const Call& call)
{
    return {call.kind,       call.name,       call.dtype, call.in_bytes,
            call.out_bytes,  call.group_size, call.group, call.description,
            call.sizes_from, call.kind_from,  call.op,    call.message_bytes};
}

MeasuredCollective rowOf(const RowKey& key, RowTimes& times)
{
    MeasuredCollective row;
    row.name = key.name;
    row.op = key.op;
    row.dtype = key.dtype;
    row.in_bytes = key.in_bytes;
    row.out_bytes = key.out_bytes;
    row.message_bytes = key.message_bytes;
    row.group_size = key.group_size;
    row.group = key.group;
    row.description = key.description;
    row.kind = key.kind;
    row.kind_from = key.kind_from;
    row.sizes_from = key.sizes_from;
    row.count = times.count;
    row.outside_count = times.outside;
    row.sum_ns = times.sum_ns;
    row.outside_ns = times.outside_ns;
    row.exposed_ns = times.exposed_ns;
    auto& calls = times.calls;
    if (calls.empty())
        return row;
    std::ranges::sort(calls, {}, &EqualCalls::duration_ns);
    row.min_ns = calls.front().duration_ns;
    row.max_ns = calls.back().duration_ns;
    row.median_ns =
        std::midpoint(nthDuration(calls, (times.timed - 1) / 2), nthDuration(calls, times.timed / 2));
    return row;
}

} // namespace

std::vector<MeasuredCollective> collectiveRows(const CallList& list, std::int64_t rank)
{
    std::map<RowKey, RowTimes> rows;
    for (const Call& call : list.calls) {
        if (call.rank != rank)
            continue;
        RowTimes& times = rows[rowKeyOf(call)];
        times.count += call.count;
        times.outside += call.is_of_step ? 0 : call.count;
        if (call.duration_ns < 0 || call.count < 1)
            continue;
        times.sum_ns += call.duration_ns * call.count;
        times.outside_ns += call.is_of_step ? 0 : call.duration_ns * call.count;
        times.exposed_ns += call.exposed_ns;
        times.timed += call.count;
        times.calls.push_back({call.duration_ns, call.count});
    }
    std::vector<MeasuredCollective> collectives;
    for (auto& [key, times] : rows)
        collectives.push_back(rowOf(key, times));
    return collectives;
}

std::vector<HistogramRow> messageHistogram(const CallList& list, std::vector<std::string>& notes)
{
    // Calls of the same operation may be called differently (allreduce, nccl:all_reduce); the first name
    // stands for them. Operations that no name tells stay apart by name.
    std::map<std::tuple<Kind, Op, std::int64_t, std::string_view>, HistogramRow> rows;
    std::int64_t unsized = 0;
    for (const Call& call : list.calls) {
        if (call.message_bytes < 0) {
            unsized += call.count;
            continue;
        }
        const std::string_view apart = call.op == Op::other ? call.name : std::string_view{};
        HistogramRow& row = rows[{call.kind, call.op, call.message_bytes, apart}];
        if (row.count == 0)
            row = {call.kind, call.op, std::string{call.name}, call.message_bytes, 0};
        row.count += call.count;
    }
    if (unsized > 0)
        notes.push_back(std::to_string(unsized) + (unsized == 1 ? " call is" : " calls are")
                        + " not in the histogram: nothing tells the size");
    std::vector<HistogramRow> histogram;
    for (auto& [key, row] : rows)
        histogram.push_back(std::move(row));
    return histogram;
}

} // namespace shardscope

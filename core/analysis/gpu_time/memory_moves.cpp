#include "core/analysis/gpu_time/gpu_activity.h"
#include "core/base/median.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace shardscope
{

namespace
{

// -1: not told.
double bandwidth_GBps(const TraceStore& store, const MemoryMove& move)
{
    if (move.bandwidth_GBps >= 0.0)
        return move.bandwidth_GBps;
    const std::int64_t time_ns = store.duration(move.event);
    if (move.bytes < 0 || time_ns <= 0)
        return -1.0;
    return static_cast<double>(move.bytes) / static_cast<double>(time_ns); // bytes by ns are GB by s
}

} // namespace

std::string_view sortOfMove(std::string_view name)
{
    return name.substr(0, name.find(" ("));
}

std::vector<MemoryMoveRow> memoryMoves(const TraceStore& store, const EventClasses& classes)
{
    struct Sort {
        MemoryMoveRow row;
        std::vector<double> bandwidths;
    };
    std::map<std::string_view, Sort> sorts;
    for (const MemoryMove& move : store.memoryMoves()) {
        const double bandwidth = bandwidth_GBps(store, move);
        if (classes.of(move.event) != EventClass::memory || bandwidth < 0.0)
            continue;
        Sort& sort = sorts[sortOfMove(store.name(move.event))];
        ++sort.row.count;
        sort.row.bytes += std::max<std::int64_t>(0, move.bytes);
        sort.row.time_ns += store.duration(move.event);
        sort.bandwidths.push_back(bandwidth);
    }
    std::vector<MemoryMoveRow> rows;
    for (auto& [name, sort] : sorts) {
        MemoryMoveRow row = sort.row;
        row.name = name;
        double sum = 0.0;
        for (const double bandwidth : sort.bandwidths)
            sum += bandwidth;
        row.mean_GBps = sum / static_cast<double>(row.count);
        std::ranges::sort(sort.bandwidths);
        row.median_GBps = medianOfSorted(sort.bandwidths);
        row.min_GBps = sort.bandwidths.front();
        row.max_GBps = sort.bandwidths.back();
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace shardscope

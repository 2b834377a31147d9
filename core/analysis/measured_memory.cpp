#include "core/analysis/measured_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace shardscope
{

namespace
{

using MemoryByRank = std::map<std::int64_t, RankMemory>;

void keepPeak(const RankMemory& told, MemoryByRank& ranks)
{
    const auto [known, is_new] = ranks.try_emplace(told.rank, told);
    if (is_new)
        return;
    RankMemory& peak = known->second;
    peak.peak_allocated_bytes = std::max(peak.peak_allocated_bytes, told.peak_allocated_bytes);
    peak.peak_reserved_bytes = std::max(peak.peak_reserved_bytes, told.peak_reserved_bytes);
}

// As the import of PyTorch's memory events names them: "GPU 0 memory allocated".
bool isOfGpu(const Counter& counter, std::string_view what)
{
    const std::string_view name = counter.name;
    return counter.is_bytes && name.starts_with("GPU ") && name.ends_with(what);
}

std::int64_t greatest(const Counter& counter)
{
    constexpr double most_bytes = 1e15;
    const auto value = std::ranges::max_element(counter.values);
    return value != counter.values.end() && *value >= 0.0 && *value < most_bytes
               ? static_cast<std::int64_t>(*value)
               : -1;
}

void addCounters(const TraceFile& file, MemoryByRank& ranks)
{
    RankMemory told{file.rank, -1, -1, MemoryFrom::profiler};
    for (const Counter& counter : file.store->counters()) {
        if (isOfGpu(counter, " memory allocated"))
            told.peak_allocated_bytes = std::max(told.peak_allocated_bytes, greatest(counter));
        else if (isOfGpu(counter, " memory reserved"))
            told.peak_reserved_bytes = std::max(told.peak_reserved_bytes, greatest(counter));
    }
    if (told.peak_allocated_bytes >= 0 || told.peak_reserved_bytes >= 0)
        keepPeak(told, ranks);
}

} // namespace

std::vector<RankMemory> measuredMemory(const TraceSet& traces)
{
    MemoryByRank ranks;
    for (const TraceFile& file : traces.files) {
        if (file.status == FileStatus::rejected)
            continue;
        const MemoryFrom from = file.schedule.empty() ? MemoryFrom::log : MemoryFrom::schedule;
        for (const MemoryRecord& record : file.memory) {
            const std::int64_t of_file = file.rank_is_known ? file.rank : -1;
            keepPeak({record.rank >= 0 ? record.rank : of_file, record.allocated_bytes, record.reserved_bytes,
                      from},
                     ranks);
        }
        if (file.store)
            addCounters(file, ranks);
    }
    std::vector<RankMemory> memory;
    for (const auto& [rank, peak] : ranks)
        memory.push_back(peak);
    return memory;
}

std::int64_t ranksOfMeasuredMemory(const TraceSet& traces, const Measurement& measurement)
{
    std::set<std::int64_t> worlds;
    std::set<std::int64_t> ranks;
    for (const TraceFile& file : traces.files)
        if (file.status != FileStatus::rejected && file.world_size > 0)
            worlds.insert(file.world_size);
    for (const RankMemory& memory : measurement.memory)
        ranks.insert(memory.rank);
    for (const RankMeasurement& rank : measurement.ranks)
        ranks.insert(rank.rank);
    if (ranks.empty() || worlds.size() > 1)
        return 0;
    const auto read = static_cast<std::int64_t>(ranks.size());
    if (worlds.size() == 1)
        return *worlds.begin() > *ranks.rbegin() ? *worlds.begin() : 0;
    return *ranks.begin() == 0 && *ranks.rbegin() == read - 1 ? read : 0;
}

} // namespace shardscope

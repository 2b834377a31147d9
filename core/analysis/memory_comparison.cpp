#include "core/analysis/memory_comparison.h"

#include "core/analysis/measured_memory.h"
#include "core/analysis/run_mapping.h"
#include "core/base/format.h"
#include "core/prediction/ranks/rank_layout.h"

#include <map>

namespace shardscope
{

namespace
{

std::string problemOfWorld(std::int64_t of_run, std::int64_t of_scenario)
{
    if (of_run == 0)
        return "the traces do not tell how many ranks the run has: its memory stands beside no prediction";
    return "the run has " + countedSentence(of_run, "1 rank", "# ranks") + " and the scenario "
           + std::to_string(of_scenario) + ": its memory stands beside no prediction";
}

bool isFuller(std::int64_t RankMemory::*bytes, const ComparedMemory& rank,
              const std::optional<ComparedMemory>& known)
{
    return rank.measured.*bytes >= 0 && (!known || rank.measured.*bytes > known->measured.*bytes);
}

} // namespace

std::vector<StagePeaks> MemoryComparison::stages() const
{
    std::map<int, StagePeaks> by_stage;
    for (const ComparedMemory& rank : ranks) {
        StagePeaks& peaks = by_stage[rank.stage];
        peaks.stage = rank.stage;
        if (isFuller(&RankMemory::peak_allocated_bytes, rank, peaks.allocated))
            peaks.allocated = rank;
        if (isFuller(&RankMemory::peak_reserved_bytes, rank, peaks.reserved))
            peaks.reserved = rank;
    }
    std::vector<StagePeaks> all;
    for (const auto& [stage, peaks] : by_stage)
        all.push_back(peaks);
    return all;
}

MemoryComparison compareMemory(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                               const Measurement& measurement)
{
    MemoryComparison compared;
    if (measurement.memory.empty())
        return compared;
    const RankLayout layout{asInTheRun(scenario.parallel, measurement)};
    const std::int64_t ranks = ranksOfMeasuredMemory(traces, measurement);
    if (ranks != layout.worldSize()) {
        compared.problem = problemOfWorld(ranks, layout.worldSize());
        return compared;
    }
    for (const RankMemory& memory : measurement.memory) {
        if (memory.rank < 0 && scenario.parallel.pipeline > 1) {
            compared.problem =
                "a log tells the memory of a rank that it does not name: it stands beside no stage";
            continue;
        }
        const int stage = memory.rank < 0 ? 0 : layout.coordinates(memory.rank).pp;
        if (static_cast<std::size_t>(stage) >= prediction.memory.stages.size())
            continue;
        const StageMemory& predicted = prediction.memory.stages[static_cast<std::size_t>(stage)];
        compared.ranks.push_back({memory, stage, predicted.allocatedBytes(), predicted.reservedBytes()});
    }
    return compared;
}

} // namespace shardscope

#include "core/analysis/activity.h"

#include "core/analysis/profiler_steps.h"

namespace shardscope
{

std::vector<RankActivity> measureActivity(const TraceSet& traces, const AnalysisOptions& options)
{
    std::vector<RankActivity> ranks;
    for (const TraceFile& file : traces.files) {
        const bool is_known = !ranks.empty() && ranks.back().rank == file.rank; // files stand by rank
        if (!file.store || is_known)
            continue;
        EventClasses classes{*file.store, options.rules};
        if (!classes.onGpu())
            continue;
        if (options.step)
            keepStep(*file.store, *options.step, classes);
        const BusyTimes times = busyTimes(*file.store, classes);
        ranks.push_back({.rank = file.rank,
                         .distribution = timeDistribution(*file.store, classes, times),
                         .idle = idleCauses(*file.store, classes),
                         .streams = streamActivity(*file.store, classes),
                         .launches = launchFigures(*file.store, classes),
                         .memory_moves = memoryMoves(*file.store, classes),
                         .operators = operatorTimes(*file.store, classes, times)});
    }
    return ranks;
}

} // namespace shardscope

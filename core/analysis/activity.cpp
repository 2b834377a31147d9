#include "core/analysis/activity.h"

#include "core/analysis/digest/digest_figures.h"
#include "core/analysis/gpu_time/profiler_steps.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

std::optional<RankActivity> digestedActivity(const TraceFile& file, const AnalysisOptions& options)
{
    const auto figures = decodeFigures(file.digest->figures);
    if (!figures || !figures->activity || options.step)
        return std::nullopt;
    RankActivity activity = *figures->activity;
    activity.rank = file.rank;
    return activity;
}

bool hasStep(const TraceStore& store, std::int64_t number)
{
    const std::vector<ProfilerStep> steps = profilerSteps(store);
    return std::ranges::find(steps, number, &ProfilerStep::number) != steps.end();
}

std::optional<RankActivity> activityOf(const TraceFile& file, const AnalysisOptions& options)
{
    if (file.digest)
        return digestedActivity(file, options);
    EventClasses classes{*file.store, options.rulesOrShipped()};
    if (!classes.onGpu() || (options.step && !hasStep(*file.store, *options.step)))
        return std::nullopt;
    if (options.step)
        keepStep(*file.store, *options.step, classes);
    return fileActivity(file, classes);
}

} // namespace

RankActivity fileActivity(const TraceFile& file, const EventClasses& classes)
{
    const BusyTimes times = busyTimes(*file.store, classes);
    return {.rank = file.rank,
            .distribution = timeDistribution(*file.store, classes, times),
            .idle = idleCauses(*file.store, classes),
            .streams = streamActivity(*file.store, classes),
            .launches = launchFigures(*file.store, classes),
            .memory_moves = memoryMoves(*file.store, classes),
            .operators = operatorTimes(*file.store, classes, times)};
}

std::vector<RankActivity> measureActivity(const TraceSet& traces, const AnalysisOptions& options)
{
    std::vector<RankActivity> ranks;
    for (const TraceFile& file : traces.files) {
        const bool is_known = !ranks.empty() && ranks.back().rank == file.rank; // files stand by rank
        if (!file.store || is_known)
            continue;
        if (auto activity = activityOf(file, options))
            ranks.push_back(*std::move(activity));
    }
    return ranks;
}

} // namespace shardscope

#include "core/analysis/rank_figures.h"

#include "core/analysis/calls/exposed_kinds.h"
#include "core/analysis/calls/message_rows.h"
#include "core/analysis/calls/repeated_calls.h"
#include "core/analysis/digest/digest_rank.h"
#include "core/analysis/gpu_time/breakdown.h"
#include "core/analysis/gpu_time/kernel_table.h"
#include "core/analysis/gpu_time/profiler_steps.h"

#include <algorithm>
#include <map>
#include <span>

namespace shardscope
{

namespace
{

void findExposedTimes(const IntervalUnion& compute, std::span<Call> calls)
{
    for (Call& call : calls)
        if (call.is_timed)
            call.exposed_ns =
                call.duration_ns - compute.covered_ns(call.start, call.start + call.duration_ns);
}

// Those that ran before the first step, to warm up, and what no call in the file launched. Where that is all
// of them, nothing is known of steps.
void findCallsOfNoStep(const StepOfEvents& step_of, std::span<Call> calls)
{
    const auto is_of_step = [&](const Call& call) { return call.is_timed && step_of.of(call.event); };
    if (std::ranges::any_of(calls, is_of_step))
        for (Call& call : calls)
            call.is_of_step = !call.is_timed || is_of_step(call);
}

// The calls of one file stand together.
std::span<Call> callsOfFile(CallList& list, std::size_t file)
{
    return {std::ranges::lower_bound(list.calls, file, {}, &Call::file),
            std::ranges::upper_bound(list.calls, file, {}, &Call::file)};
}

void addEvents(const TraceStore& store, const EventClasses& classes, std::span<Call> calls,
               RankMeasurement& rank)
{
    const BusyTimes times = busyTimes(store, classes);
    addBreakdown(times, rank);
    const std::vector<ProfilerStep> steps = profilerSteps(store);
    const StepOfEvents step_of{store, steps};
    addSteps(rank.steps, stepBreakdowns(store, classes, steps, step_of));
    findCallsOfNoStep(step_of, calls);
    addKernels(rank.kernels, kernelTable(store, classes));
    findExposedTimes(times.compute, calls);
}

std::string sharedRankNote(std::int64_t rank, int files)
{
    return std::to_string(files) + " files claim rank " + std::to_string(rank)
           + ": their times, calls and steps are added up; how its GPU was fed (streams, launches, "
             "operators, causes of idle time) is told of one of them";
}

} // namespace

std::vector<RankMeasurement> measureRanks(const TraceSet& traces, const std::vector<EventClasses>& classes,
                                          const AnalysisOptions& options, CallList& list,
                                          std::vector<std::string>& notes)
{
    std::map<std::int64_t, RankMeasurement> ranks;
    std::map<std::int64_t, int> files;
    for (std::size_t f = 0; f < traces.files.size(); ++f) {
        const TraceFile& file = traces.files[f];
        const bool has_timeline = hasTimeline(file);
        if (file.status == FileStatus::rejected
            || (!has_timeline && (file.calls.empty() || list.is_repeated[f])))
            continue;
        RankMeasurement& rank = ranks[file.rank];
        rank.rank = file.rank;
        ++files[file.rank];
        if (!has_timeline)
            continue;
        rank.has_timeline = true;
        const std::span<Call> calls = callsOfFile(list, f);
        if (!file.digest)
            addEvents(*file.store, classes[f], calls, rank);
        else if (!addDigest(*file.digest, options.step, calls, rank))
            notes.push_back(file.path + ": the figures of this digest are damaged; make it again");
        else
            findCallsOfNoStep(StepOfEvents{*file.store, profilerSteps(*file.store)}, calls);
        addExposedKinds(calls, rank);
    }
    std::vector<RankMeasurement> measured;
    for (auto& [number, rank] : ranks) {
        rank.collectives = collectiveRows(list, number);
        shareExposedKinds(rank);
        measured.push_back(std::move(rank));
        if (files[number] > 1)
            notes.push_back(sharedRankNote(number, files[number]));
    }
    return measured;
}

} // namespace shardscope

#include "core/analysis/iteration_times.h"

#include "core/analysis/calls/layout_kinds.h"
#include "core/analysis/gpu_time/breakdown.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

// What an iteration's times are made of.
struct Sums {
    std::int64_t marked_ns = 0;
    BreakdownTimes times;
};

// From the first mark of a step to the end of the last; what lies between steps that do not follow each other
// was not recorded.
std::int64_t markedTime(const std::vector<StepMeasurement>& steps)
{
    std::int64_t marked_ns = 0;
    for (std::size_t first = 0; first < steps.size();) {
        std::size_t last = first;
        while (last + 1 < steps.size() && steps[last + 1].number == steps[last].number + 1)
            ++last;
        marked_ns += steps[last].start_ns + steps[last].duration_ns - steps[first].start_ns;
        first = last + 1;
    }
    return marked_ns;
}

Sums sumsOfSteps(const std::vector<StepMeasurement>& steps)
{
    Sums sums{markedTime(steps), {}};
    for (const StepMeasurement& step : steps)
        addTimes(step.times, sums.times);
    return sums;
}

} // namespace

bool isToldBySteps(const RankMeasurement& rank)
{
    const BreakdownTimes times = sumsOfSteps(rank.steps).times;
    return (times.compute_count > 0 || (rank.compute_count == 0 && !rank.steps.empty()))
           && (times.communication_count > 0 || rank.communication_count == 0);
}

double exposedShareOfSteps(const RankMeasurement& rank)
{
    if (!isToldBySteps(rank) || rank.exposed_communication_ns <= 0)
        return 1.0;
    const std::int64_t exposed_ns = sumsOfSteps(rank.steps).times.exposed_communication_ns;
    return std::min(1.0,
                    static_cast<double>(exposed_ns) / static_cast<double>(rank.exposed_communication_ns));
}

std::int64_t iterationsOf(const TraceSet& traces, const Measurement& run, std::int64_t rank)
{
    return run.step ? 1 : recordedIterations(traces, rank);
}

bool hasWhatCounts(const Measurement& run, const RankMeasurement& rank)
{
    return !run.step || !rank.steps.empty();
}

IterationTimes iterationTimes(const RankMeasurement& rank, std::int64_t iterations)
{
    const bool by_steps = isToldBySteps(rank);
    const Sums sums = by_steps ? sumsOfSteps(rank.steps) : Sums{0, rank};
    IterationTimes times;
    times.by_steps = by_steps;
    times.iterations = by_steps ? static_cast<std::int64_t>(rank.steps.size()) : iterations;
    const auto seconds = [&times](std::int64_t nanoseconds) {
        return static_cast<double>(nanoseconds) * 1e-9 / static_cast<double>(times.iterations);
    };
    const std::int64_t length_ns = std::max(sums.marked_ns, sums.times.window_ns);
    times.length_s = seconds(length_ns);
    times.compute_s = seconds(sums.times.compute_ns);
    times.overlap_s = seconds(sums.times.overlap_ns);
    times.memory_s =
        seconds(std::max<std::int64_t>(0, sums.times.non_compute_ns - sums.times.exposed_communication_ns));
    times.idle_s = seconds(length_ns - sums.times.busy_ns);
    const double share = exposedShareOfSteps(rank);
    std::ranges::transform(rank.exposed_of_kind_ns, times.exposed_s.begin(),
                           [&](std::int64_t exposed_ns) { return share * seconds(exposed_ns); });
    return times;
}

void makeOneIteration(std::vector<IterationTimes>& ranks)
{
    double longest_s = 0.0;
    for (const IterationTimes& rank : ranks)
        longest_s = std::max(longest_s, rank.length_s);
    for (IterationTimes& rank : ranks)
        if (!rank.by_steps)
            rank.idle_s += longest_s - std::exchange(rank.length_s, longest_s);
}

double iterationLength_s(const std::vector<IterationTimes>& ranks)
{
    return ranks.empty() ? 0.0 : meanOf(ranks).length_s;
}

double iterationLength_s(const TraceSet& traces, const Measurement& run)
{
    std::vector<IterationTimes> ranks;
    for (const RankMeasurement& rank : run.ranks)
        if (rank.has_timeline && hasWhatCounts(run, rank))
            ranks.push_back(iterationTimes(rank, iterationsOf(traces, run, rank.rank)));
    makeOneIteration(ranks);
    return iterationLength_s(ranks);
}

IterationTimes meanOf(const std::vector<IterationTimes>& ranks)
{
    IterationTimes mean;
    const double each = 1.0 / static_cast<double>(ranks.size());
    mean.by_steps = std::ranges::all_of(ranks, &IterationTimes::by_steps);
    for (const IterationTimes& rank : ranks) {
        mean.iterations = std::max(mean.iterations, rank.iterations);
        mean.length_s += each * rank.length_s;
        mean.compute_s += each * rank.compute_s;
        mean.overlap_s += each * rank.overlap_s;
        mean.memory_s += each * rank.memory_s;
        mean.idle_s += each * rank.idle_s;
        for (std::size_t kind = 0; kind < mean.exposed_s.size(); ++kind)
            mean.exposed_s[kind] += each * rank.exposed_s[kind];
    }
    return mean;
}

int busiestStage(const std::map<int, std::vector<IterationTimes>>& stages)
{
    const auto busy = [](const auto& stage) {
        const IterationTimes mean = meanOf(stage.second);
        double seconds = mean.compute_s;
        for (const Kind kind : {Kind::tp, Kind::cp, Kind::ep})
            seconds += mean.exposed_s[static_cast<std::size_t>(kind)];
        return seconds;
    };
    return std::ranges::max_element(stages, {}, busy)->first;
}

} // namespace shardscope

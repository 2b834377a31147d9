#include "widgets/models/time_parts.h"

#include "core/analysis/iteration_times.h"
#include "core/base/median.h"

#include <algorithm>
#include <map>

namespace shardscope
{

namespace
{

// The mean of `value` over the ranks, with the extremes.
template<class Value>
TimeSlice meanSlice(const std::vector<IterationTimes>& ranks, TimePart part, Kind kind, Value value)
{
    TimeSlice slice{part, kind, 0.0, value(ranks.front()), value(ranks.front())};
    for (const IterationTimes& rank : ranks) {
        slice.seconds += value(rank) / static_cast<double>(ranks.size());
        slice.low_s = std::min(slice.low_s, value(rank));
        slice.high_s = std::max(slice.high_s, value(rank));
    }
    return slice;
}

double exposedOf(const IterationTimes& times, Kind kind)
{
    return times.exposed_s[static_cast<std::size_t>(kind)];
}

struct PlacedTimes {
    std::int64_t rank = 0;
    int stage = 0; // nowhere: the scenario does not place it
    IterationTimes times;
};
constexpr int nowhere = -1;

// All that tell, as one iteration. Ranks that the scenario does not have are left out; where it places none,
// all are one stage. The one that is asked for is there all the same.
std::vector<PlacedTimes> timesOfRanks(const MeasuredCalls& calls, const RunPlaces& places,
                                      std::optional<std::int64_t> asked)
{
    std::vector<PlacedTimes> placed;
    for (const RankMeasurement& measured : calls.run()->measurement.ranks)
        if (measured.has_timeline && measured.window_ns > 0
            && hasWhatCounts(calls.run()->measurement, measured)) {
            const std::optional<RankCoordinates> place = places.of(measured.rank);
            placed.push_back({measured.rank, place ? place->pp : nowhere,
                              iterationTimes(measured, calls.iterations(measured.rank))});
        }
    if (std::ranges::any_of(placed, [](const PlacedTimes& rank) { return rank.stage != nowhere; }))
        std::erase_if(placed,
                      [&](const PlacedTimes& rank) { return rank.stage == nowhere && rank.rank != asked; });
    std::vector<IterationTimes> times;
    for (const PlacedTimes& rank : placed)
        times.push_back(rank.times);
    makeOneIteration(times);
    for (std::size_t i = 0; i < placed.size(); ++i)
        placed[i].times = times[i];
    return placed;
}

void append(TimeParts& parts, const TimeSlice& slice)
{
    if (slice.seconds > 0.0)
        parts.slices.push_back(slice);
}

// Of a pipeline schedule: when a rank runs no pass, it waits for the others.
std::optional<TimeParts> scheduleParts(const MeasuredBubble& bubble, std::optional<std::int64_t> rank)
{
    std::vector<double> busy_s;
    for (const MeasuredPasses& passes : bubble.ranks)
        if (!rank || passes.rank == *rank)
            busy_s.push_back(passes.busy_s);
    if (busy_s.empty())
        return std::nullopt;
    std::sort(busy_s.begin(), busy_s.end());
    const double middle_s = medianOfSorted(busy_s);
    const auto idle = [&bubble](double its_busy_s) { return std::max(0.0, bubble.iteration_s - its_busy_s); };
    TimeParts parts;
    parts.ranks = busy_s.size();
    parts.total_s = bubble.iteration_s;
    append(parts, {TimePart::passes, Kind::unknown, middle_s, busy_s.front(), busy_s.back()});
    append(parts,
           {TimePart::bubble, Kind::unknown, idle(middle_s), idle(busy_s.back()), idle(busy_s.front())});
    return parts;
}

std::optional<TimeParts> undividedParts(const std::vector<MeasuredTimer>& timers)
{
    const auto iteration = std::ranges::find(timers, iteration_timer, &MeasuredTimer::name);
    if (iteration == timers.end() || !(iteration->median_s > 0.0))
        return std::nullopt;
    const double all_s = iteration->median_s;
    TimeParts parts;
    parts.total_s = all_s;
    parts.slices.push_back({TimePart::undivided, Kind::unknown, all_s, all_s, all_s});
    return parts;
}

} // namespace

TimeParts predictedTimeParts(const TimePrediction& time, bool is_pipeline)
{
    TimeParts parts;
    parts.total_s = time.iteration_s;
    parts.stage = is_pipeline ? time.slowest_stage : -1;
    double sum = 0.0;
    const auto add = [&](TimePart part, Kind kind, double part_s) {
        append(parts, {part, kind, part_s, part_s, part_s});
        sum += std::max(0.0, part_s);
    };
    const double computing = std::max(0.0, time.compute_s - time.step_s);
    const double overlapped = std::min(computing, time.hidden_communication_s);
    add(TimePart::compute, Kind::unknown, computing - overlapped);
    add(TimePart::overlapped, Kind::unknown, overlapped);
    add(TimePart::step, Kind::unknown, time.step_s);
    add(TimePart::communication, Kind::tp, time.tp_s);
    add(TimePart::communication, Kind::cp, time.cp_s);
    add(TimePart::communication, Kind::ep, time.ep_s);
    add(TimePart::communication, Kind::pp, time.pp_s);
    add(TimePart::communication, Kind::dp, time.dp_s);
    add(TimePart::communication, Kind::emb, time.emb_s);
    add(TimePart::communication, Kind::mp, time.mp_s);
    add(TimePart::bubble, Kind::unknown, time.bubble_s);
    // Whatever the model counts beside its parts stays visible.
    if (time.iteration_s - sum > 1e-4 * time.iteration_s)
        add(TimePart::other, Kind::unknown, time.iteration_s - sum);
    return parts;
}

namespace
{

TimeParts meanParts(const std::vector<IterationTimes>& ranks)
{
    TimeParts parts;
    parts.ranks = ranks.size();
    const auto mean = [&](TimePart part, Kind kind, auto value) {
        return meanSlice(ranks, part, kind, value);
    };
    parts.total_s = iterationLength_s(ranks);
    append(parts, mean(TimePart::compute, Kind::unknown,
                       [](const IterationTimes& r) { return r.compute_s - r.overlap_s; }));
    append(parts,
           mean(TimePart::overlapped, Kind::unknown, [](const IterationTimes& r) { return r.overlap_s; }));
    for (int i = 0; i < kind_count; ++i) {
        const auto kind = static_cast<Kind>(i);
        append(parts, mean(TimePart::communication, kind,
                           [kind](const IterationTimes& r) { return exposedOf(r, kind); }));
    }
    append(parts,
           mean(TimePart::memory_copy, Kind::unknown, [](const IterationTimes& r) { return r.memory_s; }));
    append(parts, mean(TimePart::idle, Kind::unknown, [](const IterationTimes& r) { return r.idle_s; }));
    return parts;
}

} // namespace

std::optional<TimeParts> measuredTimeParts(const MeasuredCalls& calls, const PredictedScenario* predicted,
                                           std::optional<std::int64_t> rank)
{
    return calls.run() ? measuredTimeParts(calls, RunPlaces{predicted, *calls.run()}, rank) : std::nullopt;
}

std::optional<TimeParts> measuredTimeParts(const MeasuredCalls& calls, const RunPlaces& places,
                                           std::optional<std::int64_t> rank)
{
    std::map<int, std::vector<IterationTimes>> stages;
    for (const PlacedTimes& its : timesOfRanks(calls, places, rank)) {
        if (rank == its.rank)
            return meanParts({its.times});
        stages[its.stage].push_back(its.times);
    }
    const Measurement& measurement = calls.run()->measurement;
    if (stages.empty())
        return measurement.bubble ? scheduleParts(*measurement.bubble, rank)
                                  : undividedParts(measurement.timers);
    if (rank)
        return std::nullopt;
    const int busiest = busiestStage(stages);
    TimeParts parts = meanParts(stages.at(busiest));
    parts.stage = stages.size() > 1 ? busiest : nowhere;
    return parts;
}

} // namespace shardscope

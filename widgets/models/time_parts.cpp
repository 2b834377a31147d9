#include "widgets/models/time_parts.h"

#include "core/analysis/iteration_times.h"
#include "core/base/median.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// The median of `value` over the ranks, with the extremes.
template<class Value>
TimeSlice medianSlice(const std::vector<IterationTimes>& ranks, TimePart part, Kind kind, Value value)
{
    std::vector<double> values;
    values.reserve(ranks.size());
    for (const IterationTimes& rank : ranks)
        values.push_back(value(rank));
    std::sort(values.begin(), values.end());
    return {part, kind, medianOfSorted(values), values.front(), values.back()};
}

std::vector<IterationTimes> ranksWithTimeline(const MeasuredCalls& calls, std::optional<std::int64_t> rank)
{
    std::vector<IterationTimes> ranks;
    for (const RankMeasurement& measured : calls.run()->measurement.ranks)
        if (measured.has_timeline && measured.window_ns > 0 && (!rank || measured.rank == *rank))
            ranks.push_back(iterationTimes(measured, calls.iterations(measured.rank)));
    return ranks;
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

} // namespace

TimeParts predictedTimeParts(const TimePrediction& time)
{
    TimeParts parts;
    parts.total_s = time.iteration_s;
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

std::optional<TimeParts> measuredTimeParts(const MeasuredCalls& calls, std::optional<std::int64_t> rank)
{
    if (!calls.run())
        return std::nullopt;
    const std::vector<IterationTimes> ranks = ranksWithTimeline(calls, rank);
    const std::optional<MeasuredBubble>& bubble = calls.run()->measurement.bubble;
    if (ranks.empty())
        return bubble ? scheduleParts(*bubble, rank) : std::nullopt;
    TimeParts parts;
    parts.ranks = ranks.size();
    parts.total_s = medianSlice(ranks, TimePart::other, Kind::unknown, [](const IterationTimes& r) {
                        return r.length_s;
                    }).seconds;
    append(parts, medianSlice(ranks, TimePart::compute, Kind::unknown,
                              [](const IterationTimes& r) { return r.compute_s - r.overlap_s; }));
    append(parts, medianSlice(ranks, TimePart::overlapped, Kind::unknown,
                              [](const IterationTimes& r) { return r.overlap_s; }));
    for (int i = 0; i < kind_count; ++i)
        append(parts, medianSlice(
                          ranks, TimePart::communication, static_cast<Kind>(i),
                          [i](const IterationTimes& r) { return r.exposed_s[static_cast<std::size_t>(i)]; }));
    append(parts, medianSlice(ranks, TimePart::memory_copy, Kind::unknown,
                              [](const IterationTimes& r) { return r.memory_s; }));
    append(parts, medianSlice(ranks, TimePart::idle, Kind::unknown,
                              [](const IterationTimes& r) { return r.idle_s; }));
    return parts;
}

} // namespace shardscope

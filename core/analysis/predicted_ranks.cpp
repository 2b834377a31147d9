#include "core/analysis/predicted_ranks.h"

#include "core/analysis/calls/exposed_kinds.h"
#include "core/analysis/gpu_time/breakdown.h"
#include "core/prediction/timeline/stage_events.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

Call callOf(const StageEvent& event)
{
    Call call;
    call.kind = event.kind();
    call.op = event.op;
    call.message_bytes = event.message_bytes;
    call.is_timed = true;
    call.start = event.start_ns;
    call.duration_ns = event.end_ns - event.start_ns;
    return call;
}

// When the stage computes and sends; calls in their order.
struct StageTimes {
    BusyTimes busy;
    std::vector<Call> calls;
};

StageTimes timesOf(const std::vector<StageEvent>& events, bool is_forward_only)
{
    StageTimes times;
    std::vector<Interval> compute;
    std::vector<Interval> communication;
    for (const StageEvent& event : events) {
        if (!event.is_counted || (is_forward_only && event.phase() != Phase::forward))
            continue;
        const Interval span{event.start_ns, event.end_ns};
        if (event.isCommunication())
            times.calls.push_back(callOf(event));
        (event.isCommunication() ? communication : compute).push_back(span);
        const bool is_first = compute.size() + communication.size() == 1;
        Interval& window = times.busy.window;
        window =
            is_first ? span : Interval{std::min(window.start, span.start), std::max(window.end, span.end)};
    }
    times.busy.compute_count = static_cast<std::int64_t>(compute.size());
    times.busy.communication_count = static_cast<std::int64_t>(communication.size());
    times.busy.on_gpu = true;
    times.busy.compute = IntervalUnion{std::move(compute)};
    times.busy.communication = IntervalUnion{std::move(communication)};
    for (Call& call : times.calls)
        call.exposed_ns =
            call.duration_ns - times.busy.compute.covered_ns(call.start, call.start + call.duration_ns);
    return times;
}

std::vector<MeasuredCollective> rowsOf(const std::vector<Call>& calls)
{
    std::map<std::tuple<Kind, Op, std::int64_t>, MeasuredCollective> rows;
    for (const Call& call : calls) {
        MeasuredCollective& row = rows[{call.kind, call.op, call.message_bytes}];
        row.kind = call.kind;
        row.op = call.op;
        row.message_bytes = call.message_bytes;
        ++row.count;
        row.sum_ns += call.duration_ns;
        row.exposed_ns += call.exposed_ns;
    }
    std::vector<MeasuredCollective> list;
    for (auto& [key, row] : rows)
        list.push_back(std::move(row));
    return list;
}

} // namespace

PredictedRanks::PredictedRanks(const Scenario& scenario, const Prediction& prediction, bool is_forward_only)
    : m_is_forward_only{is_forward_only}, m_parts{scenario}, m_timeline{predictTimeline(scenario, prediction)}
{
    if (!m_timeline.passes.empty())
        m_calls.emplace(scenario, prediction, m_timeline);
}

const RankMeasurement& PredictedRanks::of(std::size_t part)
{
    const auto [known, is_new] = m_known.try_emplace(part);
    if (is_new)
        known->second = measured(m_parts.firstPlace(part).pp, m_parts.load(part));
    return known->second;
}

RankMeasurement PredictedRanks::measured(int stage, double load) const
{
    const std::vector<StageEvent> events =
        eventsOfStage(m_timeline, stage, m_calls ? TimelineDetail::layers : TimelineDetail::passes,
                      m_calls ? &*m_calls : nullptr, load);
    const StageTimes times = timesOf(events, m_is_forward_only);
    const StageStep step = stepOfStage(m_timeline, stage, events);
    RankMeasurement rank;
    rank.has_timeline = true;
    addBreakdown(times.busy, rank);
    StepMeasurement mark{.start_ns = step.start_ns, .duration_ns = step.end_ns - step.start_ns, .times = {}};
    addBreakdown(times.busy, mark.times);
    rank.steps.push_back(std::move(mark));
    rank.collectives = rowsOf(times.calls);
    addExposedKinds(times.calls, rank);
    shareExposedKinds(rank);
    return rank;
}

} // namespace shardscope

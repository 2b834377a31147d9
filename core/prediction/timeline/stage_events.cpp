#include "core/prediction/timeline/stage_events.h"

#include "core/base/nanoseconds.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

EventLane laneOf(Activity activity)
{
    switch (activity) {
    case Activity::communication:
        return EventLane::communication;
    case Activity::bubble:
        return EventLane::waiting;
    default:
        return EventLane::compute;
    }
}

EventLane laneOf(CallsOf calls)
{
    switch (calls) {
    case CallsOf::stages:
        return EventLane::stages;
    case CallsOf::sends:
        return EventLane::sends;
    case CallsOf::replicas:
        return EventLane::replicas;
    case CallsOf::step:
        break;
    }
    return EventLane::communication;
}

class EventWriter
{
public:
    EventWriter(std::vector<StageEvent>& events, int stage, double load)
        : m_events{events}, m_stage{stage}, m_load{load}
    {
    }

    void add(EventLane lane, const TimelineSpan& span) { add(lane, span, span.start_s, span.end_s()); }

    // With what of its time the lane shows.
    void add(EventLane lane, const TimelineSpan& span, double start_s, double end_s)
    {
        StageEvent event;
        event.span = &span;
        event.stage = m_stage;
        event.micro_batch = span.micro_batch;
        event.lane = lane;
        event.op = span.op;
        event.message_bytes = span.message_bytes;
        event.is_counted = lane != EventLane::waiting;
        addTimed(event, start_s, end_s);
    }

    // Calls that take no time of their own are there all the same.
    void add(const TimelineCall& call)
    {
        StageEvent event;
        event.message = call.message;
        event.stage = m_stage;
        event.micro_batch = call.micro_batch;
        event.lane = laneOf(call.of);
        event.op = call.message->op;
        event.message_bytes = call.message->message_bytes;
        addAny(event, call.start_s, call.end_s);
    }

    void add(const PassParts& pass, const TimelineSpan& span)
    {
        for (const PassPart& part : pass.in_turn)
            addPart(part.is_message ? EventLane::communication : EventLane::compute, part, span);
        for (const PassPart& part : pass.beside)
            addPart(EventLane::beneath, part, span);
    }

private:
    void addPart(EventLane lane, const PassPart& part, const TimelineSpan& span)
    {
        StageEvent event;
        event.span = &span;
        event.stage = m_stage;
        event.micro_batch = span.micro_batch;
        event.part = &part;
        event.lane = lane;
        event.op = part.op;
        event.message_bytes = part.message_bytes;
        if (part.follows_load)
            event.message_bytes = std::llround(static_cast<double>(part.message_bytes) * m_load);
        const auto calls = std::max<std::int64_t>(1, std::llround(part.calls));
        const double each_s = part.duration_s / static_cast<double>(calls);
        const double start_s = span.start_s + part.start_s;
        const bool is_call = part.is_message && event.message_bytes > 0 && !part.is_rest;
        event.is_counted = is_call || !part.is_message;
        for (std::int64_t i = 0; i < calls; ++i) {
            const double from_s = start_s + static_cast<double>(i) * each_s;
            const double to_s = start_s + static_cast<double>(i + 1) * each_s;
            if (is_call) // even where it takes no time
                addAny(event, from_s, to_s);
            else
                addTimed(event, from_s, to_s);
        }
        if (part.op == Op::send && !part.is_rest)
            addReceipts(event, span.start_s + part.end_s(), calls);
    }

    // Around a ring who sends receives as much, in the same time.
    void addReceipts(StageEvent event, double end_s, std::int64_t calls)
    {
        event.op = Op::recv;
        event.is_counted = true;
        for (std::int64_t i = 0; i < calls; ++i)
            addAny(event, end_s, end_s);
    }

    void addTimed(const StageEvent& event, double start_s, double end_s)
    {
        if (nanoseconds(end_s) > nanoseconds(start_s))
            addAny(event, start_s, end_s);
    }

    void addAny(StageEvent event, double start_s, double end_s)
    {
        event.start_ns = nanoseconds(start_s);
        event.end_ns = std::max(event.start_ns, nanoseconds(end_s));
        m_events.push_back(event);
    }

    std::vector<StageEvent>& m_events;
    int m_stage;
    double m_load;
};

} // namespace

bool StageEvent::isCommunication() const
{
    return message || (part ? part->is_message : span->activity == Activity::communication);
}

Kind StageEvent::kind() const
{
    return message ? message->kind : part ? part->kind : span->kind;
}

Phase StageEvent::phase() const
{
    return message ? message->phase : part ? part->phase : span->phase;
}

std::vector<StageEvent> eventsOfStage(const PredictedTimeline& timeline, int stage, TimelineDetail detail,
                                      const TimelineCalls* calls, double load)
{
    std::vector<StageEvent> events;
    EventWriter writer{events, stage, load};
    double pass_end_s = 0.0; // spans before are in the parts of a pass
    for (const TimelineSpan& span : spansOfStage(timeline.spans, stage)) {
        if (span.start_s + 0.5 * span.duration_s < pass_end_s || (calls && TimelineCalls::replace(span)))
            continue;
        if (detail == TimelineDetail::passes || span.pass < 0) {
            writer.add(laneOf(span.activity), span);
            continue;
        }
        const PassParts& pass = timeline.passes[static_cast<std::size_t>(span.pass)];
        writer.add(pass, span);
        pass_end_s = span.start_s + pass.duration_s;
    }
    if (calls) {
        for (const TimelineCall& call : calls->ofStage(stage))
            writer.add(call);
        return events;
    }
    for (const TimelineSpan& span : spansOfStage(timeline.hidden, stage))
        writer.add(EventLane::replicas, span);
    const std::vector<TimelineSpan> in_turn = sendsInTurn(timeline);
    for (std::size_t i = 0; i < in_turn.size(); ++i)
        if (in_turn[i].stage == stage)
            writer.add(EventLane::sends, timeline.sends[i], in_turn[i].start_s, in_turn[i].end_s());
    return events;
}

// What takes no time may stand at its very end.
StageStep stepOfStage(const PredictedTimeline& timeline, int stage, const std::vector<StageEvent>& events)
{
    StageStep step;
    const auto spans = spansOfStage(timeline.spans, stage);
    if (timeline.overlapsTheNext() && !spans.empty() && spans.front().activity == Activity::bubble)
        step.start_ns = nanoseconds(spans.front().end_s());
    step.end_ns = step.start_ns + nanoseconds(timeline.period_s);
    for (const StageEvent& event : events)
        if (event.is_counted)
            step.end_ns = std::max({step.end_ns, event.end_ns, event.start_ns + 1});
    return step;
}

} // namespace shardscope

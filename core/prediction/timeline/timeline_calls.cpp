#include "core/prediction/timeline/timeline_calls.h"

#include "core/prediction/messages/message_contents.h"
#include "core/prediction/model/pipeline_chain.h"
#include "core/prediction/timeline/span_calls.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardscope
{

namespace
{

// Each micro-batch's, behind its forward pass. ZeRO 2 and 3 have it among the parts of the pass.
bool isLoss(const Message& message)
{
    return isOfReplicas(message.kind) && message.phase == Phase::forward;
}

// Also the gathering of what the tensor ranks have received in parts.
bool isBetweenStages(const Message& message)
{
    return message.part == ModelPart::pipeline && message.phase != Phase::step;
}

bool isSpanOf(const TimelineSpan& span, Kind kind, Op op)
{
    return span.activity == Activity::communication && span.kind == kind && span.op == op;
}

// When what the pass at `at` needs comes in: while it is waited for.
std::pair<double, double> timeOfReceipt(std::span<const TimelineSpan> spans, std::size_t at)
{
    if (at > 0) {
        const TimelineSpan& before = spans[at - 1];
        const bool waits = before.activity == Activity::bubble && before.cause == IdleCause::message;
        if (waits || isSpanOf(before, Kind::pp, Op::recv))
            return {before.start_s, before.end_s()};
    }
    return {spans[at].start_s, spans[at].start_s};
}

// When the pass at `at` sends: behind its other messages, as long as the sender is busy with it.
std::pair<double, double> timeOfSending(std::span<const TimelineSpan> spans, std::size_t at)
{
    double start_s = spans[at].end_s();
    double end_s = start_s;
    bool sends = false;
    for (std::size_t next = at + 1;
         next < spans.size() && spans[next].activity == Activity::communication
         && spans[next].micro_batch == spans[at].micro_batch && !isSpanOf(spans[next], Kind::pp, Op::recv);
         ++next) {
        const bool is_send = isSpanOf(spans[next], Kind::pp, Op::send);
        start_s = is_send && !sends ? spans[next].start_s : is_send ? start_s : spans[next].end_s();
        end_s = spans[next].end_s();
        sends = sends || is_send;
    }
    return {sends ? start_s : end_s, end_s};
}

} // namespace

std::span<const TimelineSpan> spansOfStage(const std::vector<TimelineSpan>& spans, int stage)
{
    const auto [first, last] =
        std::equal_range(spans.begin(), spans.end(), TimelineSpan{.stage = stage},
                         [](const TimelineSpan& a, const TimelineSpan& b) { return a.stage < b.stage; });
    return {first, last};
}

TimelineCalls::TimelineCalls(const Scenario& scenario, const Prediction& prediction,
                             const PredictedTimeline& timeline)
    : m_prediction{prediction},
      m_timeline{timeline},
      m_figures{scenario},
      m_machine{scenario.cluster},
      m_time{m_figures, m_machine},
      m_sends{sendsInTurn(timeline)}
{
    for (const Message& message : prediction.stages.front().messages)
        if (isBetweenStages(message) && message.kind == Kind::tp)
            m_gather_s = m_time.timeOf(message).value();
}

bool TimelineCalls::replace(const TimelineSpan& span)
{
    return span.activity == Activity::communication && (span.kind == Kind::pp || span.phase == Phase::step);
}

std::vector<TimelineCall> TimelineCalls::ofStage(int stage) const
{
    const auto spans = spansOfStage(m_timeline.spans, stage);
    std::vector<TimelineCall> calls;
    for (const Message& message : m_prediction.stages[static_cast<std::size_t>(stage)].messages)
        if (isBetweenStages(message))
            addBetweenStages(spans, message, calls);
        else if (isLoss(message) && !isOfEveryMicroBatch(m_figures, message))
            addLosses(spans, message, calls);
    addOfReplicas(spans, stage, calls);
    for (const Message& message : m_prediction.stages[static_cast<std::size_t>(stage)].messages)
        if (isOfStep(message) && !isOfReplicas(message.kind))
            addOfStep(spans, message, calls);
    return calls;
}

// One after the other in the message's own span; Li et al.'s formula gives it none.
void TimelineCalls::addOfStep(std::span<const TimelineSpan> spans, const Message& message,
                              std::vector<TimelineCall>& calls) const
{
    const auto span = std::ranges::find_if(spans, [&](const TimelineSpan& each) {
        return isSpanOf(each, message.kind, message.op) && each.phase == Phase::step
               && each.message_bytes == message.message_bytes;
    });
    const bool is_timed = span != spans.end();
    const double start_s = is_timed ? span->start_s : m_timeline.iteration_s;
    const double each_s = is_timed ? span->duration_s / static_cast<double>(message.count) : 0.0;
    for (std::int64_t i = 0; i < message.count; ++i)
        calls.push_back({&message, -1, start_s + static_cast<double>(i) * each_s,
                         start_s + static_cast<double>(i + 1) * each_s, CallsOf::step});
}

// Whether a pass is one of those that send or receive the message.
bool TimelineCalls::moves(const TimelineSpan& work, const Message& message) const
{
    if (work.pass < 0 || work.phase != message.phase)
        return false;
    const bool goes_back = work.reversed != PipelineChain{m_figures.scenario.parallel}.goesBack(work.chunk);
    if (goes_back != contents::isReversed(message.what))
        return false;
    const int place = work.pass / pass_form_count;
    const int last = static_cast<int>(m_timeline.passes.size()) / pass_form_count - 1;
    const bool from_before = (message.op != Op::send) == (message.phase == Phase::forward);
    return from_before ? place > 0 : place < last;
}

// Parts that have come in are gathered at the end of the wait for them.
TimelineCalls::Interval TimelineCalls::timeBetweenStages(std::span<const TimelineSpan> spans, std::size_t at,
                                                         const Message& message) const
{
    if (message.op == Op::send) {
        const auto [start_s, end_s] = timeOfSending(spans, at);
        return {start_s, end_s};
    }
    const auto [start_s, end_s] = timeOfReceipt(spans, at);
    const double gather_s = std::min(m_gather_s, end_s - start_s);
    return message.op == Op::recv ? Interval{start_s, end_s - gather_s} : Interval{end_s - gather_s, end_s};
}

// The times of the sends that their stage does not wait for; none where it does.
std::vector<TimelineCalls::Interval> TimelineCalls::sendsBeneath(std::span<const TimelineSpan> spans,
                                                                 const Message& message) const
{
    std::vector<Interval> times;
    if (message.op != Op::send || spans.empty())
        return times;
    for (const TimelineSpan& span : spansOfStage(m_sends, spans.front().stage))
        if (span.phase == message.phase)
            times.push_back({span.start_s, span.end_s()});
    return times;
}

void TimelineCalls::addBetweenStages(std::span<const TimelineSpan> spans, const Message& message,
                                     std::vector<TimelineCall>& calls) const
{
    std::vector<std::size_t> passes;
    for (std::size_t i = 0; i < spans.size(); ++i)
        if (moves(spans[i], message))
            passes.push_back(i);
    const std::vector<Interval> sends = sendsBeneath(spans, message);
    const bool is_beneath = !sends.empty() && sends.size() == passes.size();
    const CallsOf of = is_beneath ? CallsOf::sends : CallsOf::stages;
    const auto of_all = static_cast<std::int64_t>(passes.size());
    for (std::int64_t i = 0; i < of_all; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const auto [start_s, end_s] =
            is_beneath ? sends[place] : timeBetweenStages(spans, passes[place], message);
        const std::int64_t here = (i + 1) * message.count / of_all - i * message.count / of_all;
        const double each_s = (end_s - start_s) / static_cast<double>(std::max<std::int64_t>(1, here));
        for (std::int64_t call = 0; call < here; ++call)
            calls.push_back({&message, spans[passes[place]].micro_batch,
                             start_s + static_cast<double>(call) * each_s,
                             start_s + static_cast<double>(call + 1) * each_s, of});
    }
}

// The time model has what they take among the replicas' time.
void TimelineCalls::addLosses(std::span<const TimelineSpan> spans, const Message& message,
                              std::vector<TimelineCall>& calls) const
{
    const int last = static_cast<int>(m_timeline.passes.size()) / pass_form_count - 1;
    for (const TimelineSpan& span : spans)
        if (span.pass >= 0 && span.phase == Phase::forward && span.pass / pass_form_count == last)
            calls.push_back({&message, span.micro_batch, span.end_s(), span.end_s(), CallsOf::step});
}

bool TimelineCalls::isOfStep(const Message& message) const
{
    return message.op != Op::recv && !isBetweenStages(message) && !isLoss(message)
           && (message.phase == Phase::step
               || (isOfReplicas(message.kind) && !isOfEveryMicroBatch(m_figures, message)));
}

double TimelineCalls::weightOf(const Message& message) const
{
    return m_time.timeOf(message).value();
}

// Those that follow each other without a gap are one. Buckets that travel beneath a pass have bars as long as
// what the pass gets on meanwhile; their calls, which take longer, go without gaps up to what is waited for.
std::vector<TimelineCalls::Interval> TimelineCalls::timesOfReplicas(std::span<const TimelineSpan> spans,
                                                                    int stage) const
{
    std::vector<Interval> times;
    double of_buckets_s = 0.0;
    double last_bucket_s = 0.0;
    for (const TimelineSpan& span : spansOfStage(m_timeline.hidden, stage)) {
        if (span.bucket < 0) {
            times.push_back({span.start_s, span.end_s()});
            continue;
        }
        of_buckets_s += span.duration_s;
        last_bucket_s = span.end_s();
    }
    for (const TimelineSpan& span : spans)
        if (isSpanOf(span, Kind::dp, Op::other) && span.phase == Phase::step)
            times.push_back({span.start_s, span.end_s()});
    std::ranges::sort(times, {}, &Interval::start_s);
    if (of_buckets_s > 0.0) {
        const auto next = std::ranges::find_if(
            times, [&](const Interval& time) { return time.start_s >= last_bucket_s * (1.0 - 1e-9); });
        const double end_s = next == times.end() ? last_bucket_s : next->start_s;
        times.insert(next, {end_s - of_buckets_s, end_s});
    }
    std::vector<Interval> joined;
    for (const Interval& time : times) {
        if (!joined.empty() && time.start_s - joined.back().end_s <= 1e-9 * time.start_s)
            joined.back().end_s = std::max(joined.back().end_s, time.end_s);
        else
            joined.push_back(time);
    }
    return joined;
}

// The replicas' calls of an iteration, gradients in the order of their buckets.
std::vector<const Message*> TimelineCalls::callsInTurn(const StagePrediction& stage, bool gathers) const
{
    const std::vector<std::int64_t> of_bucket = callsOfBuckets(stage);
    std::vector<const Message*> calls;
    const auto add = [&calls](const Message& message, std::int64_t count) {
        calls.insert(calls.end(), static_cast<std::size_t>(count), &message);
    };
    if (!gathers)
        for (const GradientBucket& bucket : stage.buckets) {
            const auto row = static_cast<std::size_t>(bucket.reduced);
            add(stage.messages[row], of_bucket[row]);
        }
    for (std::size_t i = 0; i < stage.messages.size(); ++i)
        if (const Message& message = stage.messages[i]; of_bucket[i] == 0 && isOfStep(message)
                                                        && isOfReplicas(message.kind)
                                                        && (message.op == Op::all_gather) == gathers)
            add(message, message.count);
    return calls;
}

// Gradients one after the other, then parameters; those that travel beneath the first forward pass go first.
// All together take the times that the timeline has for them, each as much of its
// interval as is its share.
void TimelineCalls::addOfReplicas(std::span<const TimelineSpan> spans, int stage,
                                  std::vector<TimelineCall>& calls) const
{
    const StagePrediction& predicted = m_prediction.stages[static_cast<std::size_t>(stage)];
    const std::vector<Interval> times = timesOfReplicas(spans, stage);
    const bool begins_hidden = !times.empty() && times.size() > 1 && !spans.empty()
                               && times.front().start_s <= spans.front().end_s();
    std::vector<const Message*> messages;
    for (const bool gathers : {begins_hidden, !begins_hidden})
        std::ranges::copy(callsInTurn(predicted, gathers), std::back_inserter(messages));
    double whole_s = 0.0;
    double weights = 0.0;
    for (const Interval& time : times)
        whole_s += time.end_s - time.start_s;
    for (const Message* message : messages)
        weights += weightOf(*message);
    auto message = messages.begin();
    double passed = 0.0; // of the weights
    double passed_s = 0.0;
    for (const Interval& time : times) {
        passed_s += time.end_s - time.start_s;
        const auto first = message;
        double here = 0.0;
        const bool is_last = &time == &times.back();
        while (message != messages.end()
               && (is_last || (passed + here + 0.5 * weightOf(**message)) * whole_s <= passed_s * weights))
            here += weightOf(**message++);
        double start_s = time.start_s;
        for (auto one = first; one != message; ++one) {
            const double length_s = (time.end_s - time.start_s) * weightOf(**one) / here;
            calls.push_back({*one, -1, start_s, start_s + length_s, CallsOf::replicas});
            start_s += length_s;
        }
        passed += here;
    }
    for (; message != messages.end(); ++message) // the model gives them no time
        calls.push_back({*message, -1, m_timeline.iteration_s, m_timeline.iteration_s, CallsOf::replicas});
}

} // namespace shardscope

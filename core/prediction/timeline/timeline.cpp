#include "core/prediction/timeline/timeline.h"

#include "core/prediction/time/pipeline_simulation.h"
#include "core/prediction/time/time_model.h"
#include "core/prediction/timeline/span_calls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

Activity activityOf(TaskKind kind)
{
    switch (kind) {
    case TaskKind::forward:
        return Activity::forward;
    case TaskKind::backward:
        return Activity::backward;
    case TaskKind::weight_gradient:
        break;
    }
    return Activity::weight_gradient;
}

// Writes the spans of one stage one after the other; a gap becomes a bubble.
class StageSpans
{
public:
    StageSpans(PredictedTimeline& timeline, const StagePrediction& stage, const IterationTime& time,
               const IterationFigures& figures)
        : m_spans{timeline.spans},
          m_hidden{timeline.hidden},
          m_sends{timeline.sends},
          m_has_passes{!timeline.passes.empty()},
          m_stage{stage},
          m_time{time},
          m_bucket_calls{callsOfBuckets(stage)},
          m_replica_calls{timeline.replica_calls[static_cast<std::size_t>(stage.stage)]},
          m_chain{figures.scenario.parallel},
          m_first_reversed{static_cast<int>(figures.micro_batches / 2)}
    {
        m_replica_calls = callsOfReplicas(figures, stage, !time.replicas.empty());
        const std::int64_t passes = figures.micro_batches * figures.scenario.parallel.virtual_stages;
        for (const bool forward : {true, false})
            for (const Kind kind : {Kind::tp, Kind::cp, Kind::pp, Kind::ep, Kind::dp})
                m_calls[forward][static_cast<std::size_t>(kind)] = callsOf(stage, kind, forward, passes);
    }

    void addTask(const PlayedTask& played)
    {
        addPass(played);
        if (!played.task.paired)
            placeHeldSend();
    }

    void addReplicas(double seconds) { add(ofReplicas(), seconds); }

    // `step` is the stage's own, `longest` the one that all stages wait for.
    void addStep(const StepTime& step, const StepTime& longest)
    {
        const double before_norm_s = m_end_s + longest.beforeNorm_s();
        addStepMessage(Kind::emb, step.emb_s);
        addStepMessage(Kind::tp, step.tp_s);
        waitUntil(before_norm_s, IdleCause::step);
        addStepMessage(Kind::mp, step.mp_s);
        TimelineSpan optimizer;
        optimizer.activity = Activity::backward;
        optimizer.phase = Phase::step;
        add(optimizer, step.optimizer_s);
    }

    // What runs beneath the first forward and the last backward pass, bucket by bucket, and while other
    // stages still work.
    void addHiddenReplicas(const ReplicaTime& replicas, const StageUse& use, double pipeline_end_s)
    {
        addHiddenParameters(use.start_s, replicas.parameters_s - replicas.exposed_parameters_s);
        for (std::size_t i = 0; i < replicas.hidden_gradients.size(); ++i) {
            const HiddenCall& hidden = replicas.hidden_gradients[i];
            addHiddenBucket(i, use.end_s - hidden.before_end_s, hidden.seconds);
        }
        addHidden(ofReplicas(), use.end_s, std::min(use.end_s + replicas.exposed_s(), pipeline_end_s));
    }

    void waitUntil(double when_s, IdleCause cause)
    {
        TimelineSpan bubble;
        bubble.activity = Activity::bubble;
        bubble.cause = cause;
        // Rounding of sums is no bubble.
        if (when_s - m_end_s > 1e-9 * when_s)
            add(bubble, when_s - m_end_s);
    }

private:
    void addPass(const PlayedTask& played)
    {
        waitUntil(played.start_s - played.message_s, played.idle);
        waitUntil(played.start_s, IdleCause::message);
        const PipelineTask& task = played.task;
        const bool forward = task.kind == TaskKind::forward;
        const int place = placeOf(task, m_stage.stage, m_chain);
        const StageTime& time = m_time.chunks[static_cast<std::size_t>(place)];
        const PassTime& pass = forward ? time.forward : time.backward;
        if (task.kind == TaskKind::weight_gradient) {
            addWork(task, time.weight_gradient_s);
            return;
        }
        // The end of a micro-batch's way, and where a V turns, receives where the others send.
        const int last = static_cast<int>(m_time.chunks.size()) - 1;
        const bool is_end = place == (forward ? last : 0);
        const int link = is_end ? -1 : linkOf(task, place, m_chain);
        const bool receives = link < 0;
        if (receives)
            addCommunication(task, Kind::pp, pass.pp_s, Op::recv);
        const PassForm form = forward      ? PassForm::forward
                              : task.whole ? PassForm::backward
                                           : PassForm::split_backward;
        addWork(task, pass.compute_s - (task.whole ? 0.0 : time.weight_gradient_s), passOf(place, form));
        addCommunication(task, Kind::tp, pass.tp_s);
        addCommunication(task, Kind::cp, pass.cp_s);
        addCommunication(task, Kind::ep, pass.ep_s);
        addCommunication(task, Kind::dp, pass.dp_s);
        if (receives)
            return;
        addCommunication(task, Kind::pp, pass.pp_s, Op::send);
        const double message_s = m_time.message_s[static_cast<std::size_t>(link)];
        if (m_time.sender_waits)
            addCommunication(task, Kind::pp, message_s, Op::send);
        else if (message_s > 0.0) // Li et al.'s are among the pass's own
            addSend(task, message_s);
    }

    // DualPipe's two ways number their own halves of the micro-batches.
    int microBatchOf(const PipelineTask& task) const
    {
        return task.micro_batch + (task.reversed ? m_first_reversed : 0);
    }

    int passOf(int place, PassForm form) const
    {
        return m_has_passes ? static_cast<int>(passPartsIndex(place, form)) : -1;
    }

    void addWork(const PipelineTask& task, double seconds, int pass = -1)
    {
        TimelineSpan work;
        work.activity = activityOf(task.kind);
        work.phase = task.kind == TaskKind::forward ? Phase::forward : Phase::backward;
        work.micro_batch = microBatchOf(task);
        work.chunk = task.chunk;
        work.reversed = task.reversed;
        work.pass = pass;
        add(work, seconds);
    }

    void addCommunication(const PipelineTask& task, Kind kind, double seconds, Op op = Op::other)
    {
        add(messagesOf(task, kind, op), seconds);
    }

    TimelineSpan messagesOf(const PipelineTask& task, Kind kind, Op op) const
    {
        const bool forward = task.kind == TaskKind::forward;
        const PassCalls& calls = m_calls[forward ? 1 : 0][static_cast<std::size_t>(kind)];
        TimelineSpan span;
        span.activity = Activity::communication;
        span.kind = kind;
        span.op = op;
        span.group_size = op == Op::other ? 0 : 2;
        span.phase = forward ? Phase::forward : Phase::backward;
        span.micro_batch = microBatchOf(task);
        span.chunk = task.chunk;
        span.reversed = task.reversed;
        span.message_bytes = calls.message_bytes;
        span.count = calls.count;
        return span;
    }

    void addSend(const PipelineTask& task, double seconds)
    {
        TimelineSpan span = messagesOf(task, Kind::pp, Op::send);
        span.duration_s = seconds;
        if (task.paired) {
            m_held_send = span;
            return;
        }
        placeHeldSend();
        placeSend(span);
    }

    void placeHeldSend()
    {
        if (const auto held = std::exchange(m_held_send, std::nullopt))
            placeSend(*held);
    }

    // From now on, behind what goes the same way.
    void placeSend(TimelineSpan span)
    {
        const bool against = span.reversed != m_chain.goesBack(span.chunk);
        double& link_free_s = m_links_free_s[(span.phase == Phase::forward) != against ? 1 : 0];
        span.stage = m_stage.stage;
        span.start_s = std::max(m_end_s, link_free_s);
        link_free_s = span.end_s();
        m_sends.push_back(span);
        for (auto last = m_sends.end() - 1; last != m_sends.begin(); --last) { // by start
            if (last[-1].stage != last->stage || last[-1].start_s <= last->start_s)
                break;
            std::swap(last[-1], *last);
        }
    }

    // Pre: the stage has one such message.
    void addStepMessage(Kind kind, double seconds)
    {
        for (const Message& message : m_stage.messages)
            if (message.kind == kind && message.phase == Phase::step) {
                TimelineSpan span;
                span.activity = Activity::communication;
                span.kind = kind;
                span.op = message.op;
                span.group_size = message.group_size;
                span.phase = Phase::step;
                span.message_bytes = message.message_bytes;
                span.count = message.count;
                add(span, seconds);
            }
    }

    TimelineSpan replicaSpan() const
    {
        TimelineSpan span;
        span.stage = m_stage.stage;
        span.activity = Activity::communication;
        span.kind = Kind::dp;
        span.phase = Phase::step;
        return span;
    }

    // Of what they send, all that no span before it stands for.
    TimelineSpan ofReplicas() const
    {
        TimelineSpan span = replicaSpan();
        tellCalls(m_stage, m_replica_calls, span);
        return span;
    }

    void addHiddenParameters(double start_s, double seconds)
    {
        std::vector<std::int64_t> left = m_replica_calls;
        std::vector<std::int64_t> gathered(left.size());
        for (std::size_t row = 0; row < left.size(); ++row)
            if (gathersParameters(m_stage.messages[row]))
                std::swap(left[row], gathered[row]);
        TimelineSpan span = replicaSpan();
        span.op = Op::all_gather;
        tellCalls(m_stage, gathered, span);
        if (addHidden(span, start_s, start_s + seconds))
            m_replica_calls = std::move(left);
    }

    void addHiddenBucket(std::size_t bucket, double start_s, double seconds)
    {
        const auto row = static_cast<std::size_t>(m_stage.buckets[bucket].reduced);
        TimelineSpan span = replicaSpan();
        tellBucket(m_stage, bucket, span);
        span.count = m_bucket_calls[row];
        if (addHidden(span, start_s, start_s + seconds))
            m_replica_calls[row] -= span.count;
    }

    // False: it is too short to be there.
    bool addHidden(TimelineSpan span, double start_s, double end_s)
    {
        const bool follows = !m_hidden.empty() && m_hidden.back().stage == span.stage;
        const double free_s = follows ? m_hidden.back().start_s + m_hidden.back().duration_s : 0.0;
        span.start_s = std::max(start_s, free_s);
        span.duration_s = end_s - span.start_s;
        if (span.duration_s <= 1e-9 * end_s)
            return false;
        m_hidden.push_back(span);
        return true;
    }

    void add(TimelineSpan span, double seconds)
    {
        if (seconds <= 0.0)
            return;
        span.stage = m_stage.stage;
        span.start_s = m_end_s;
        span.duration_s = seconds;
        m_spans.push_back(span);
        m_end_s += seconds;
    }

    std::vector<TimelineSpan>& m_spans;
    std::vector<TimelineSpan>& m_hidden;
    std::vector<TimelineSpan>& m_sends;
    std::optional<TimelineSpan> m_held_send; // of the first of a pair, which hand on together
    std::array<double, 2> m_links_free_s{};  // to the stage before it and to the one behind it
    bool m_has_passes;
    const StagePrediction& m_stage;
    const IterationTime& m_time;
    std::vector<std::int64_t> m_bucket_calls;   // by row of the stage's messages
    std::vector<std::int64_t>& m_replica_calls; // the same: what no span stands for yet
    PipelineChain m_chain;
    int m_first_reversed; // micro-batch
    PassCalls m_calls[2][kind_count];
    double m_end_s = 0.0;
};

// What a stage's replicas still reduce and gather when the last stage is through. Li et al.'s formula has one
// time for all stages.
double replicasBehind(const IterationTime& time, const PipelineRun& run, std::size_t stage)
{
    if (stage >= time.replicas.size())
        return time.dp_s;
    return std::clamp(time.replicas[stage].exposed_s() - run.stages[stage].rest_s, 0.0, time.dp_s);
}

// When the stage goes on to its replicas and the step: when all are through, or, where stages run freely,
// when it has been at its passes for as long as the one that needs longest. So its iterations follow each
// other.
double endOfPasses(const IterationFigures& figures, const PipelineRun& run, const StageUse& stage)
{
    const bool is_free = runsFreely(figures.scenario.parallel.schedule);
    return run.duration_s + (is_free ? stage.start_s : 0.0);
}

} // namespace

std::vector<TimelineSpan> sendsInTurn(const PredictedTimeline& timeline)
{
    std::vector<TimelineSpan> sends = timeline.sends;
    for (std::size_t i = 1; i < sends.size(); ++i) {
        if (sends[i].stage != sends[i - 1].stage)
            continue;
        const double end_s = sends[i].end_s();
        sends[i].start_s = std::max(sends[i].start_s, sends[i - 1].end_s());
        sends[i].duration_s = std::max(0.0, end_s - sends[i].start_s);
    }
    return sends;
}

PredictedTimeline predictTimeline(const Scenario& scenario, const Prediction& prediction)
{
    const IterationFigures figures{scenario};
    const IterationTime time = predictTime(figures, prediction);
    const PipelineRun run = playPipeline(pipelineWork(figures, time), true);

    PredictedTimeline timeline;
    timeline.stages = static_cast<int>(run.stages.size());
    timeline.passes = passParts(figures, prediction, time);
    for (const StageUse& stage : run.stages)
        timeline.iteration_s = std::max(timeline.iteration_s, endOfPasses(figures, run, stage));
    timeline.iteration_s += time.dp_s + time.step.total_s();
    timeline.period_s = time.summary.iteration_s;
    timeline.spans.reserve(run.tasks.size() * 4);
    timeline.replica_calls.resize(run.stages.size());
    auto task = run.tasks.begin();
    for (std::size_t i = 0; i < run.stages.size(); ++i) {
        const double pipeline_end_s = endOfPasses(figures, run, run.stages[i]);
        StageSpans spans{timeline, prediction.stages[i], time, figures};
        for (; task != run.tasks.end() && task->stage == static_cast<int>(i); ++task)
            spans.addTask(*task);
        if (i < time.replicas.size())
            spans.addHiddenReplicas(time.replicas[i], run.stages[i], pipeline_end_s);
        // The optimizer waits for the norm of all gradients, those of the stage that is through last too.
        spans.waitUntil(pipeline_end_s, IdleCause::drain);
        spans.addReplicas(replicasBehind(time, run, i));
        spans.waitUntil(pipeline_end_s + time.dp_s, IdleCause::step);
        if (i < time.steps.size())
            spans.addStep(time.steps[i], time.step);
        spans.waitUntil(timeline.iteration_s,
                        timeline.overlapsTheNext() ? IdleCause::drain : IdleCause::step);
    }
    return timeline;
}

} // namespace shardscope

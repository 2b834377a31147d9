#include "core/prediction/timeline.h"

#include "core/prediction/pipeline_simulation.h"
#include "core/prediction/time_model.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Calls of a kind in one pass of one micro-batch: the largest message stands for them.
struct PassCalls {
    std::int64_t message_bytes = 0;
    std::int64_t count = 0;
};

bool belongsToForward(const Message& message)
{
    return message.phase == Phase::forward;
}

PassCalls callsOf(const StagePrediction& stage, Kind kind, bool forward, std::int64_t passes)
{
    PassCalls calls;
    for (const Message& message : stage.messages)
        if (message.kind == kind && message.phase != Phase::step && belongsToForward(message) == forward)
            calls.message_bytes = std::max(calls.message_bytes, message.message_bytes);
    for (const Message& message : stage.messages)
        if (message.kind == kind && message.phase != Phase::step && belongsToForward(message) == forward
            && message.message_bytes == calls.message_bytes)
            calls.count += message.count;
    calls.count = std::max<std::int64_t>(calls.count / passes, calls.count > 0 ? 1 : 0);
    return calls;
}

PassCalls callsOfStep(const StagePrediction& stage, Kind kind)
{
    PassCalls calls;
    for (const Message& message : stage.messages)
        if (message.kind == kind && message.message_bytes > calls.message_bytes)
            calls = {message.message_bytes, message.count};
    return calls;
}

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
    StageSpans(std::vector<TimelineSpan>& spans, const StagePrediction& stage, const StageTime& time,
               const Parallel& parallel, std::int64_t micro_batches)
        : m_spans{spans},
          m_stage{stage},
          m_time{time},
          m_chunks{parallel.virtual_stages},
          m_first{stage.stage == 0},
          m_last{stage.stage + 1 == parallel.pipeline}
    {
        const std::int64_t passes = micro_batches * m_chunks;
        for (const bool forward : {true, false})
            for (const Kind kind : {Kind::tp, Kind::cp, Kind::pp, Kind::ep})
                m_calls[forward][static_cast<std::size_t>(kind)] = callsOf(stage, kind, forward, passes);
    }

    void addTask(const PlayedTask& played)
    {
        waitUntil(played.start_s);
        const PipelineTask& task = played.task;
        const bool forward = task.kind == TaskKind::forward;
        const PassTime& pass = forward ? m_time.forward : m_time.backward;
        if (task.kind == TaskKind::weight_gradient) {
            addWork(task, m_time.weight_gradient_s);
            return;
        }
        // The end of a micro-batch's way receives where the others send.
        const bool receives = forward != task.reversed ? m_last : m_first;
        if (receives)
            addCommunication(task, Kind::pp, pass.pp_s);
        addWork(task, pass.compute_s - (task.whole ? 0.0 : m_time.weight_gradient_s));
        addCommunication(task, Kind::tp, pass.tp_s);
        addCommunication(task, Kind::cp, pass.cp_s);
        addCommunication(task, Kind::ep, pass.ep_s);
        if (!receives)
            addCommunication(task, Kind::pp, pass.pp_s);
    }

    void addStep(Kind kind, double seconds)
    {
        const PassCalls calls = callsOfStep(m_stage, kind);
        TimelineSpan span;
        span.activity = Activity::communication;
        span.kind = kind;
        span.phase = Phase::step;
        span.message_bytes = calls.message_bytes;
        span.count = calls.count;
        add(span, seconds);
    }

    void waitUntil(double when_s)
    {
        TimelineSpan bubble;
        bubble.activity = Activity::bubble;
        // Rounding of sums is no bubble.
        if (when_s - m_end_s > 1e-9 * when_s)
            add(bubble, when_s - m_end_s);
    }

private:
    double share(double seconds) const { return seconds / static_cast<double>(m_chunks); }

    void addWork(const PipelineTask& task, double seconds)
    {
        TimelineSpan work;
        work.activity = activityOf(task.kind);
        work.phase = task.kind == TaskKind::forward ? Phase::forward : Phase::backward;
        work.micro_batch = task.micro_batch;
        add(work, share(seconds));
    }

    void addCommunication(const PipelineTask& task, Kind kind, double seconds)
    {
        const bool forward = task.kind == TaskKind::forward;
        const PassCalls& calls = m_calls[forward ? 1 : 0][static_cast<std::size_t>(kind)];
        TimelineSpan span;
        span.activity = Activity::communication;
        span.kind = kind;
        span.phase = forward ? Phase::forward : Phase::backward;
        span.micro_batch = task.micro_batch;
        span.message_bytes = calls.message_bytes;
        span.count = calls.count;
        add(span, share(seconds));
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
    const StagePrediction& m_stage;
    const StageTime& m_time;
    std::int64_t m_chunks;
    bool m_first;
    bool m_last;
    PassCalls m_calls[2][kind_count];
    double m_end_s = 0.0;
};

// All that a pass costs is its stage's own time, messages included, so nothing is on its way in between.
PipelineRun played(const Scenario& scenario, const IterationTime& time)
{
    const Parallel& parallel = scenario.parallel;
    const auto chunks = static_cast<double>(parallel.virtual_stages);
    PipelineWork work;
    work.shape = {parallel.schedule, static_cast<int>(parallel.pipeline),
                  static_cast<int>(parallel.virtual_stages), static_cast<int>(scenario.microBatches())};
    for (std::int64_t chunk = 0; chunk < parallel.virtual_stages; ++chunk)
        for (const StageTime& stage : time.stages)
            work.chunks.push_back({stage.forward.total_s() / chunks, stage.backward.total_s() / chunks,
                                   stage.weight_gradient_s / chunks});
    work.message_s.assign(time.stages.size(), 0.0);
    return playPipeline(work, true);
}

} // namespace

PredictedTimeline predictTimeline(const Scenario& scenario, const Prediction& prediction)
{
    const IterationFigures figures{scenario};
    const IterationTime time = predictTime(figures, prediction);
    const PipelineRun run = played(scenario, time);

    PredictedTimeline timeline;
    timeline.stages = static_cast<int>(time.stages.size());
    for (const StageUse& stage : run.stages)
        timeline.iteration_s = std::max(timeline.iteration_s, stage.end_s);
    timeline.iteration_s += time.dp_s;
    timeline.spans.reserve(run.tasks.size() * 4);
    auto task = run.tasks.begin();
    for (std::size_t i = 0; i < time.stages.size(); ++i) {
        StageSpans spans{timeline.spans, prediction.stages[i], time.stages[i], scenario.parallel,
                         figures.micro_batches};
        for (; task != run.tasks.end() && task->stage == static_cast<int>(i); ++task)
            spans.addTask(*task);
        spans.addStep(Kind::dp, time.dp_s);
        spans.waitUntil(timeline.iteration_s);
    }
    return timeline;
}

} // namespace shardscope

#pragma once

#include "core/collectives/collective.h"
#include "core/prediction/timeline/pass_parts.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// What a pipeline stage does during one span of the predicted timeline.
enum class Activity : std::uint8_t { forward, backward, weight_gradient, communication, bubble };

// What a stage does from one moment to another: a pass, messages of it or by themselves, or waiting.
struct TimelineSpan {
    int stage = 0;
    Activity activity = Activity::forward;
    Kind kind = Kind::unknown; // of communication
    Op op = Op::other;         // of a message by itself: send or recv between stages, or one of the step; of
                               // replicas' parameters beneath the first forward pass all_gather
    int group_size = 0;        // of a message by itself
    Phase phase = Phase::forward;
    int micro_batch = -1; // -1: none
    int chunk = 0;        // of the stage's virtual stages, that the micro-batch passes
    double start_s = 0.0;
    double duration_s = 0.0;
    std::int64_t message_bytes = 0; // of communication, one call
    std::int64_t count = 0;         // calls folded into the span
    // With those of other sizes, where the span stands for several: `message_bytes` is the largest. 0: it
    // does not.
    std::int64_t all_count = 0;
    std::int64_t all_bytes = 0;
    int bucket = -1; // of StagePrediction::buckets, where one travels beneath a pass by itself; -1: none
    bool reversed = false; // DualPipe: of a micro-batch that enters at the last stage
    int pass = -1; // of work that begins a pass: row of PredictedTimeline::passes; -1: no parts are known
    IdleCause cause = IdleCause::drain; // of a bubble

    double end_s() const { return start_s + duration_s; }
    // The optimizer's work, which is drawn like a backward pass.
    bool isOptimizer() const { return activity == Activity::backward && phase == Phase::step; }
};

// One iteration as every pipeline stage lives it.
struct PredictedTimeline {
    int stages = 0;
    double iteration_s = 0.0; // from the first task to the end of the last
    // From one iteration to the next: less with zb-h2, whose stages begin the next one when they are through.
    double period_s = 0.0;
    // By stage, then start; those of one stage do not overlap, and leave no gap. Messages within a pass stand
    // behind its work, all calls of a kind together.
    std::vector<TimelineSpan> spans;
    // The same passes in parts, in the order in which layers compute and send; spans refer to them.
    std::vector<PassParts> passes;
    // Gradients and parameters of replicas that travel beneath the spans, by stage, then start.
    std::vector<TimelineSpan> hidden;
    // By stage, then row of its messages: calls of its replicas that no pass sends and that have neither a
    // bucket's span nor that of the parameters beneath the first forward pass. The replicas' other spans
    // stand for them; what remains to wait for of those that have a span takes time there too.
    std::vector<std::vector<std::int64_t>> replica_calls;
    // Messages to other stages that travel while their sender works on, one for each pass that sends, by
    // stage, then start; one to either neighbour may overlap, those to the same one follow each other. Empty
    // where senders wait, and with Li et al.'s formula.
    std::vector<TimelineSpan> sends;

    bool overlapsTheNext() const { return period_s < iteration_s * (1.0 - 1e-6); }
};

// timeline.sends for a lane that shows one at a time: of each what lies behind the one before it, which may
// be nothing.
std::vector<TimelineSpan> sendsInTurn(const PredictedTimeline& timeline);

// Plays the schedule with the durations of the scenario's time model. Costs grow with stages * micro-batches.
// Pre: `prediction` is predict(scenario).
PredictedTimeline predictTimeline(const Scenario& scenario, const Prediction& prediction);

} // namespace shardscope

#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/prediction.h"
#include "core/prediction/time/machine.h"
#include "core/prediction/time/stage_communication.h"
#include "core/prediction/timeline/timeline.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// Those of one stage. Pre: they stand by stage.
std::span<const TimelineSpan> spansOfStage(const std::vector<TimelineSpan>& spans, int stage);

// Whose calls follow each other, beside the others'.
enum class CallsOf : std::uint8_t { stages, sends, replicas, step };

// One call of a message, in its place on a stage's timeline.
struct TimelineCall {
    const Message* message = nullptr; // of the prediction
    int micro_batch = -1;             // -1: none
    double start_s = 0.0;
    double end_s = 0.0; // as start_s where the model gives it no time of its own
    CallsOf of = CallsOf::step;
};

// The calls that no part of a pass tells: between stages, of replicas up to ZeRO stage 1, of the step. A
// timeline's spans have the time of all of them together; here each stands for itself, as often as predicted.
// The prediction and the timeline are of the scenario and outlive this.
class TimelineCalls
{
public:
    TimelineCalls(const Scenario& scenario, const Prediction& prediction, const PredictedTimeline& timeline);

    // In no order.
    std::vector<TimelineCall> ofStage(int stage) const;
    // Whether the calls stand for this span.
    static bool replace(const TimelineSpan& span);

private:
    struct Interval {
        double start_s = 0.0;
        double end_s = 0.0;
    };

    void addBetweenStages(std::span<const TimelineSpan> spans, const Message& message,
                          std::vector<TimelineCall>& calls) const;
    void addLosses(std::span<const TimelineSpan> spans, const Message& message,
                   std::vector<TimelineCall>& calls) const;
    void addOfStep(std::span<const TimelineSpan> spans, const Message& message,
                   std::vector<TimelineCall>& calls) const;
    Interval timeBetweenStages(std::span<const TimelineSpan> spans, std::size_t at,
                               const Message& message) const;
    std::vector<Interval> sendsBeneath(std::span<const TimelineSpan> spans, const Message& message) const;
    bool moves(const TimelineSpan& work, const Message& message) const;
    void addOfReplicas(std::span<const TimelineSpan> spans, int stage,
                       std::vector<TimelineCall>& calls) const;
    std::vector<const Message*> callsInTurn(const StagePrediction& stage, bool gathers) const;
    std::vector<Interval> timesOfReplicas(std::span<const TimelineSpan> spans, int stage) const;
    bool isOfStep(const Message& message) const;
    double weightOf(const Message& message) const;

    const Prediction& m_prediction;
    const PredictedTimeline& m_timeline;
    IterationFigures m_figures;
    Machine m_machine;
    CommunicationTime m_time;
    std::vector<TimelineSpan> m_sends; // those that their stage does not wait for, one at a time
    double m_gather_s = 0.0;           // of what comes in parts, from the stage before or behind
};

} // namespace shardscope

#include "core/analysis/comparison.h"

#include "core/analysis/calls/exposed_kinds.h"
#include "core/analysis/calls/layout_kinds.h"
#include "core/analysis/comparison_notes.h"
#include "core/analysis/comparison_times.h"
#include "core/analysis/gpu_time/forward_only.h"
#include "core/analysis/iteration_times.h"
#include "core/analysis/run_mapping.h"
#include "core/base/format.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/ranks/rank_layout.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardscope
{

namespace
{

void takeGroup(std::optional<std::int64_t>& group, std::int64_t ranks)
{
    group = group.value_or(ranks) == ranks ? ranks : 0;
}

class Comparer
{
public:
    // `of_run`: where the run's ranks stood. `predicted`: null, nothing is told of predicted times.
    Comparer(const Scenario& scenario, const Parallel& of_run, const Prediction& prediction,
             const TraceSet& traces, PredictedRanks* predicted)
        : m_layout{of_run},
          m_parts{scenario},
          m_prediction{prediction},
          m_traces{traces},
          m_times{scenario, prediction, predicted}
    {
        m_result.is_forward_only = isForwardOnly(traces);
    }

    // `iterations`: that its figures are of.
    void add(const RankMeasurement& rank, std::int64_t iterations)
    {
        if (rank.rank >= m_layout.worldSize()) {
            m_left_out.push_back(rank.rank);
            return;
        }
        m_result.iterations = std::max(m_result.iterations, iterations);
        const int stage = m_layout.coordinates(rank.rank).pp;
        const std::size_t part = m_parts.part(m_layout.coordinates(rank.rank));
        addPredicted(stage, part, iterations);
        m_times.addRank(rank, stage, part, iterations);
        const ExposedParts exposed{rank};
        const double each = 1.0 / static_cast<double>(iterations);
        const double of_steps = exposedShareOfSteps(rank);
        for (const MeasuredCollective& calls : rank.collectives) {
            m_outside += calls.outside_count;
            if (calls.countInSteps() == 0)
                continue;
            addMeasured(calls, messagesOf(part), stage,
                        {each * of_steps * exposed.of(calls),
                         each * 1e-9 * static_cast<double>(calls.sum_ns - calls.outside_ns)});
        }
        m_has_marks = m_has_marks || !rank.steps.empty();
        ++m_result.ranks;
    }

    // What no mark of a step divides may be several iterations: it is where every class of messages that one
    // sends is there the same number of times as often.
    void divideUnmarked()
    {
        const std::int64_t times = m_has_marks ? 1 : commonMultiple();
        if (times < 2)
            return;
        m_result.iterations = times;
        m_times.divide(times);
        for (auto& [key, row] : m_rows)
            row.predicted_count *= times;
        m_result.notes.push_back("no step is marked, and there are " + std::to_string(times)
                                 + " times the calls of an iteration: they are taken for "
                                 + std::to_string(times) + " iterations");
    }

    // A log tells how long iterations took where no rank has a timeline.
    void addLogged(const std::vector<MeasuredTimer>& timers)
    {
        for (const MeasuredTimer& timer : timers)
            if (timer.name == iteration_timer && m_times.needsLength()) {
                m_times.takeLength(timer.median_s);
                m_result.notes.push_back("the iteration's time is the median of "
                                         + std::to_string(timer.count) + " lines of the log");
            }
    }

    // So does a pipeline schedule.
    void addSchedule(const std::optional<MeasuredBubble>& bubble)
    {
        if (!bubble || !m_times.needsLength())
            return;
        m_times.takeLength(bubble->iteration_s);
        m_result.notes.push_back("the iteration's time is the median of the "
                                 + countedSentence(bubble->iterations, "one schedule", "# schedules")
                                 + " that were recorded");
    }

    Comparison finish(bool calibrated)
    {
        m_result.calibrated = calibrated;
        noteConditions();
        for (auto& [key, row] : m_rows) {
            m_result.equal_rows += row.equal();
            m_result.rows.push_back(row);
        }
        m_times.fillIn(m_result);
        return std::move(m_result);
    }

private:
    // What the numbers stand under.
    void noteConditions()
    {
        for (const ImportWarning& warning : m_traces.warnings)
            m_result.notes.push_back(warning.sentence);
        if (!m_left_out.empty())
            m_result.notes.push_back(noteOfLeftOut(m_left_out, m_layout.worldSize()));
        if (m_outside > 0)
            m_result.notes.push_back(countedSentence(m_outside, "1 call belongs to no marked step and is",
                                                     "# calls belong to no marked step and are")
                                     + " left out");
        if (m_result.is_forward_only)
            m_result.notes.push_back(noteOfForwardOnly());
        if (!m_result.calibrated)
            m_result.notes.push_back(
                "the cluster is not calibrated: its times predict nothing and are not compared");
    }

    // Measured by predicted calls, where that is the same whole number for all predicted ones; else 1.
    std::int64_t commonMultiple() const
    {
        std::int64_t times = 0;
        for (const auto& [key, row] : m_rows) {
            if (row.predicted_count == 0)
                continue;
            const std::int64_t here = row.measured_count / row.predicted_count;
            if (row.measured_count % row.predicted_count != 0 || (times > 0 && here != times))
                return 1;
            times = here;
        }
        return times;
    }

    bool mayBeRecorded(const Message& message) const
    {
        return !m_result.is_forward_only || message.phase == Phase::forward;
    }

    void addPredicted(int stage, std::size_t part, std::int64_t iterations)
    {
        for (const Message& of_stage : m_prediction.stages[static_cast<std::size_t>(stage)].messages) {
            const Message message = m_parts.message(of_stage, part);
            if (message.message_bytes == 0 || !mayBeRecorded(message))
                continue;
            ComparisonRow& row = rowOf(message.kind, message.op, message.message_bytes);
            row.predicted_count += message.count * iterations;
            takeGroup(row.predicted_group, message.group_size);
            m_times.addMessage(message);
        }
    }

    ComparisonRow& rowOf(Kind kind, Op op, std::int64_t message_bytes)
    {
        ComparisonRow& row = m_rows[{kind, op, message_bytes}];
        row.kind = kind;
        row.op = op;
        row.message_bytes = message_bytes;
        return row;
    }

    // Of what the rank's own experts receive.
    const std::vector<Message>& messagesOf(std::size_t part)
    {
        const auto [known, is_new] = m_messages.try_emplace(part);
        if (is_new) {
            known->second = m_parts.messages(m_prediction, part);
            std::erase_if(known->second, [this](const Message& message) { return !mayBeRecorded(message); });
        }
        return known->second;
    }

    // Into the row of the predicted message that these calls show, their own row where there is none.
    void addMeasured(const MeasuredCollective& calls, const std::vector<Message>& messages, int stage,
                     const RankSums::Times& times)
    {
        const ShownCalls shown{calls.name, calls.dtype, calls.op, calls.message_bytes, calls.in_bytes};
        const Message* met = nullptr;
        Shown how = Shown::no;
        for (const Message& message : messages) {
            if (message.kind != calls.kind || how == Shown::as_it_is)
                continue;
            if (const Shown now = howShown(message, shown); now != Shown::no) {
                met = &message;
                how = now;
            }
        }
        ComparisonRow& row = met ? rowOf(met->kind, met->op, met->message_bytes)
                                 : rowOf(calls.kind, calls.op, calls.message_bytes);
        row.measured_count += calls.countInSteps();
        takeGroup(row.measured_group, calls.group_size);
        m_times.addCalls({row.kind, row.op, row.message_bytes}, times, stage);
        if (const std::string sentence = sentenceOf(how); !sentence.empty()) {
            row.shown_as = sentence;
            if (m_noted.insert(how).second)
                m_result.notes.push_back(sentence);
        }
    }

    RankLayout m_layout;
    RankParts m_parts;
    std::map<std::size_t, std::vector<Message>> m_messages; // by part
    const Prediction& m_prediction;
    const TraceSet& m_traces;
    Comparison m_result;
    std::map<MessageClass, ComparisonRow> m_rows;
    ComparisonTimes m_times;
    std::set<Shown> m_noted;
    std::vector<std::int64_t> m_left_out; // ranks
    bool m_has_marks = false;             // of steps
    std::int64_t m_outside = 0;           // calls of no marked step
};

Comparison compared(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                    const Measurement& measurement, PredictedRanks* predicted)
{
    Comparer comparer{scenario, asInTheRun(scenario.parallel, measurement), prediction, traces, predicted};
    for (const RankMeasurement& rank : measurement.ranks)
        if (hasWhatCounts(measurement, rank))
            comparer.add(rank, iterationsOf(traces, measurement, rank.rank));
    comparer.divideUnmarked();
    comparer.addLogged(measurement.timers);
    comparer.addSchedule(measurement.bubble);
    Comparison comparison = comparer.finish(scenario.cluster.calibrated);
    comparison.memory = compareMemory(scenario, prediction, traces, measurement);
    if (!comparison.memory.problem.empty())
        comparison.notes.push_back(comparison.memory.problem);
    if (measurement.other_order)
        comparison.notes.insert(comparison.notes.begin(),
                                noteOfMapping(scenario.parallel.rank_order, *measurement.other_order));
    return comparison;
}

} // namespace

Comparison compare(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                   const Measurement& measurement)
{
    if (!scenario.cluster.calibrated)
        return compareCalls(scenario, prediction, traces, measurement);
    PredictedRanks predicted{scenario, prediction, isForwardOnly(traces)};
    return compared(scenario, prediction, traces, measurement, &predicted);
}

Comparison compareCalls(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                        const Measurement& measurement)
{
    return compared(scenario, prediction, traces, measurement, nullptr);
}

} // namespace shardscope

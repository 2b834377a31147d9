#include "core/analysis/comparison.h"

#include "core/analysis/calls/exposed_kinds.h"
#include "core/analysis/calls/layout_kinds.h"
#include "core/analysis/comparison_notes.h"
#include "core/analysis/comparison_sums.h"
#include "core/analysis/gpu_time/forward_only.h"
#include "core/analysis/iteration_times.h"
#include "core/analysis/run_mapping.h"
#include "core/base/format.h"
#include "core/base/median.h"
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
    // `of_run`: where the run's ranks stood.
    Comparer(const Scenario& scenario, const Parallel& of_run, const Prediction& prediction,
             const TraceSet& traces)
        : m_layout{of_run},
          m_parts{scenario},
          m_weight{scenario, prediction},
          m_prediction{prediction},
          m_traces{traces}
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
        const auto stage = static_cast<std::size_t>(m_layout.coordinates(rank.rank).pp);
        const std::size_t part = m_parts.part(m_layout.coordinates(rank.rank));
        addPredicted(stage, part, iterations);
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
        if (rank.has_timeline)
            addTimes(iterationTimes(rank, iterations), rank.rank);
        for (const Kind kind : kindsOf(rank)) {
            ++m_all.ranks_of_kind[kind];
            ++m_of_stage[stage].ranks_of_kind[kind];
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
        m_part = 1.0 / static_cast<double>(times);
        for (auto& [key, row] : m_rows)
            row.predicted_count *= times;
        for (auto& [stage, its] : m_times) {
            for (double& window_s : its.windows_s)
                window_s *= m_part;
            for (double* const sum_s : {&its.compute_s, &its.idle_s, &its.memory_s})
                *sum_s *= m_part;
        }
        m_result.notes.push_back("no step is marked, and there are " + std::to_string(times)
                                 + " times the calls of an iteration: they are taken for "
                                 + std::to_string(times) + " iterations");
    }

    // A log tells how long iterations took where no rank has a timeline.
    void addLogged(const std::vector<MeasuredTimer>& timers)
    {
        for (const MeasuredTimer& timer : timers)
            if (timer.name == iteration_timer && m_times.empty()) {
                m_times[0].windows_s.push_back(timer.median_s);
                m_result.notes.push_back("the iteration's time is the median of "
                                         + std::to_string(timer.count) + " lines of the log");
            }
    }

    // So does a pipeline schedule.
    void addSchedule(const std::optional<MeasuredBubble>& bubble)
    {
        if (!bubble || !m_times.empty())
            return;
        m_times[0].windows_s.push_back(bubble->iteration_s);
        m_result.notes.push_back("the iteration's time is the median of the "
                                 + countedSentence(bubble->iterations, "one schedule", "# schedules")
                                 + " that were recorded");
    }

    Comparison finish(bool calibrated)
    {
        m_result.calibrated = calibrated;
        noteConditions();
        m_result.predicted_iteration_s = m_prediction.time.iteration_s;
        m_result.predicted_compute_s = m_prediction.time.compute_s;
        m_result.predicted_bubble_s = m_prediction.time.bubble_s;
        findBusiest();
        std::map<Kind, KindTime> kinds;
        for (auto& [key, row] : m_rows) {
            const bool is_there = m_busiest && m_busiest->ranks_of_kind.contains(row.kind);
            const RankSums& sums = is_there ? *m_busiest : m_all;
            const RankSums::MeasuredTimes measured = sums.meanOf(key);
            row.measured_s = m_part * measured.exposed_s;
            row.measured_in_all_s = m_part * measured.in_all_s;
            KindTime& time = kinds[row.kind];
            time.kind = row.kind;
            time.measured_s += row.measured_s;
            time.measured_in_all_s += row.measured_in_all_s;
            if (calibrated) {
                time.predicted_s = predictedTime(row.kind, sums);
                row.predicted_s = sums.shareOf(key, time.predicted_s);
            }
            m_result.equal_rows += row.equal();
            m_result.rows.push_back(row);
        }
        addUnrecorded(kinds);
        for (const auto& [kind, time] : kinds)
            m_result.kinds.push_back(time);
        addOther();
        return std::move(m_result);
    }

private:
    struct StageTimes {
        std::vector<double> windows_s; // of each of its ranks
        double compute_s = 0.0;        // of all of them, as what follows
        double idle_s = 0.0;
        double memory_s = 0.0;
    };

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

    static std::set<Kind> kindsOf(const RankMeasurement& rank)
    {
        std::set<Kind> kinds;
        for (const MeasuredCollective& calls : rank.collectives)
            kinds.insert(calls.kind);
        return kinds;
    }

    // Predicted is the busiest stage: computing, and with the messages of its passes. So is measured; an
    // iteration is as long as the longest window.
    void findBusiest()
    {
        double most_s = 0.0;
        for (const auto& [stage, times] : m_times) {
            m_result.measured_iteration_s = std::max(m_result.measured_iteration_s, median(times.windows_s));
            const auto ranks = static_cast<double>(times.windows_s.size());
            const RankSums& sums = m_of_stage[static_cast<std::size_t>(stage)];
            const double busy_s = (times.compute_s + m_part * sums.exposedInPasses_s()) / ranks;
            if (busy_s <= most_s)
                continue;
            most_s = busy_s;
            m_result.measured_compute_s = times.compute_s / ranks;
            m_result.measured_idle_s = times.idle_s / ranks;
            m_result.measured_memory_s = times.memory_s / ranks;
            m_busiest = &sums;
        }
    }

    // What the parts leave of the iteration. Nothing where no rank tells its parts, or nothing is predicted.
    void addOther()
    {
        Comparison& it = m_result;
        double predicted_s = it.predicted_compute_s + it.predicted_bubble_s;
        double measured_s = it.measured_compute_s + it.measured_idle_s + it.measured_memory_s;
        for (const KindTime& kind : it.kinds) {
            predicted_s += kind.predicted_s.value_or(0.0);
            measured_s += kind.measured_s;
        }
        it.predicted_other_s = it.calibrated ? it.predicted_iteration_s - predicted_s : 0.0;
        it.measured_other_s = m_busiest ? it.measured_iteration_s - measured_s : 0.0;
    }

    // Kinds that are sent in what was not recorded alone: they have a part of the predicted iteration.
    void addUnrecorded(std::map<Kind, KindTime>& kinds) const
    {
        for (const auto& [kind, weight] : m_all.weights_of_kind)
            if (m_result.calibrated && !kinds.contains(kind))
                kinds[kind] = {.kind = kind, .predicted_s = predictedTime(kind, m_all)};
    }

    // The replicas' time is that of both their kinds: each has its part.
    std::optional<double> predictedTime(Kind kind, const RankSums& sums) const
    {
        if (!isOfReplicas(kind))
            return timeOfKind(m_prediction.time, kind);
        const double both = sums.weightOf(Kind::dp) + sums.weightOf(Kind::edp);
        return both > 0.0 ? std::optional{m_prediction.time.dp_s * sums.weightOf(kind) / both} : std::nullopt;
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

    void addPredicted(std::size_t stage, std::size_t part, std::int64_t iterations)
    {
        for (const Message& of_stage : m_prediction.stages[stage].messages) {
            const Message message = m_parts.message(of_stage, part);
            if (message.message_bytes == 0)
                continue;
            const double weight =
                m_weight.of(of_stage, static_cast<int>(stage)); // all wait for the fullest rank
            if (!mayBeRecorded(message)) {
                m_all.addUnrecorded(message.kind, weight);
                m_of_stage[stage].addUnrecorded(message.kind, weight);
                continue;
            }
            ComparisonRow& row = rowOf(message.kind, message.op, message.message_bytes);
            row.predicted_count += message.count * iterations;
            takeGroup(row.predicted_group, message.group_size);
            m_all.addPredicted(message, weight);
            m_of_stage[stage].addPredicted(message, weight);
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

    void addTimes(const IterationTimes& iteration, std::int64_t rank)
    {
        StageTimes& times = m_times[m_layout.coordinates(rank).pp];
        times.windows_s.push_back(iteration.length_s);
        times.compute_s += iteration.compute_s;
        times.idle_s += iteration.idle_s;
        times.memory_s += iteration.memory_s;
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
    void addMeasured(const MeasuredCollective& calls, const std::vector<Message>& messages, std::size_t stage,
                     const RankSums::MeasuredTimes& times)
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
        for (RankSums* sums : {&m_all, &m_of_stage[stage]}) {
            RankSums::MeasuredTimes& sum = sums->measured[{row.kind, row.op, row.message_bytes}];
            sum.exposed_s += times.exposed_s;
            sum.in_all_s += times.in_all_s;
        }
        if (const std::string sentence = sentenceOf(how); !sentence.empty()) {
            row.shown_as = sentence;
            if (m_noted.insert(how).second)
                m_result.notes.push_back(sentence);
        }
    }

    RankLayout m_layout;
    RankParts m_parts;
    std::map<std::size_t, std::vector<Message>> m_messages; // by part
    MessageWeights m_weight;
    const Prediction& m_prediction;
    const TraceSet& m_traces;
    Comparison m_result;
    std::map<MessageClass, ComparisonRow> m_rows;
    RankSums m_all;
    std::map<std::size_t, RankSums> m_of_stage;
    const RankSums* m_busiest = nullptr; // of m_of_stage; null: no rank has a timeline
    double m_part = 1.0;                 // of what was recorded that is an iteration
    std::map<std::int64_t, StageTimes> m_times;
    std::set<Shown> m_noted;
    std::vector<std::int64_t> m_left_out; // ranks
    bool m_has_marks = false;             // of steps
    std::int64_t m_outside = 0;           // calls of no marked step
};

} // namespace

Comparison compare(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                   const Measurement& measurement)
{
    Comparer comparer{scenario, asInTheRun(scenario.parallel, measurement), prediction, traces};
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

} // namespace shardscope

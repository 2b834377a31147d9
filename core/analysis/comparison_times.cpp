#include "core/analysis/comparison_times.h"

#include "core/analysis/calls/exposed_kinds.h"

#include <algorithm>
#include <iterator>

namespace shardscope
{

namespace
{

MessageClass classOf(const ComparisonRow& row)
{
    return {row.kind, row.op, row.message_bytes};
}

std::vector<IterationTimes> allOf(const std::map<int, std::vector<IterationTimes>>& stages)
{
    std::vector<IterationTimes> ranks;
    for (const auto& [stage, its] : stages)
        ranks.insert(ranks.end(), its.begin(), its.end());
    return ranks;
}

// Of all stages as one iteration, but in their places.
void makeOneIteration(std::map<int, std::vector<IterationTimes>>& stages)
{
    std::vector<IterationTimes> ranks = allOf(stages);
    makeOneIteration(ranks);
    auto rank = ranks.begin();
    for (auto& [stage, its] : stages)
        for (IterationTimes& times : its)
            times = *rank++;
}

// What the parts leave of an iteration; where they leave nothing, sums in another order may differ by less
// than counts.
double restOf(double iteration_s, double parts_s)
{
    return std::max(0.0, iteration_s - parts_s);
}

} // namespace

ComparisonTimes::ComparisonTimes(const Scenario& scenario, const Prediction& prediction,
                                 PredictedRanks* predicted)
    : m_prediction{prediction}, m_ranks{predicted}, m_weight{scenario}
{
}

void ComparisonTimes::addRank(const RankMeasurement& rank, int stage, std::size_t part,
                              std::int64_t iterations)
{
    m_measured.all.countKinds(rank);
    m_measured.of_stage[stage].countKinds(rank);
    if (rank.has_timeline)
        m_measured.stages[stage].push_back(iterationTimes(rank, iterations));
    if (m_ranks)
        addPredicted(part, stage);
}

void ComparisonTimes::addPredicted(std::size_t part, int stage)
{
    const RankMeasurement& rank = m_ranks->of(part);
    const ExposedParts exposed{rank};
    for (RankSums* sums : {&m_predicted.all, &m_predicted.of_stage[stage]}) {
        sums->countKinds(rank);
        for (const MeasuredCollective& calls : rank.collectives)
            sums->add({calls.kind, calls.op, calls.message_bytes},
                      {exposed.of(calls), 1e-9 * static_cast<double>(calls.sum_ns)});
    }
    m_predicted.stages[stage].push_back(iterationTimes(rank, 1));
}

void ComparisonTimes::addMessage(const Message& message)
{
    if (m_ranks && !m_ranks->hasCalls())
        m_weights[{message.kind, message.op, message.message_bytes}] += m_weight.of(message);
}

void ComparisonTimes::addCalls(const MessageClass& messages, const RankSums::Times& times, int stage)
{
    m_measured.all.add(messages, times);
    m_measured.of_stage[stage].add(messages, times);
}

bool ComparisonTimes::isOfBusiest(Kind kind) const
{
    const Sums& telling = m_measured.all.has(kind) ? m_measured : m_predicted;
    const auto of_stage = m_busiest ? telling.of_stage.find(*m_busiest) : telling.of_stage.end();
    return of_stage != telling.of_stage.end() && of_stage->second.has(kind);
}

// Of the busiest stage; where it has no such calls, of those that have. Of both sides the same.
const RankSums& ComparisonTimes::sumsOf(const Sums& sums, Kind kind) const
{
    return isOfBusiest(kind) ? sums.of_stage.at(*m_busiest) : sums.all;
}

// Models without calls of their own have one time of all replicas: each of both kinds has its part.
std::optional<double> ComparisonTimes::predictedTime(Kind kind) const
{
    if (!m_ranks || kind == Kind::unknown)
        return std::nullopt;
    if (m_ranks->hasCalls())
        return sumsOf(m_predicted, kind).exposedMean_s(kind);
    if (!isOfReplicas(kind)) {
        const double seconds = sumsOf(m_predicted, kind).exposedMean_s(kind);
        const bool is_left_out = seconds == 0.0 && (kind == Kind::emb || kind == Kind::mp); // by Li et al.
        return is_left_out ? std::nullopt : std::optional{seconds};
    }
    const double both = weightOf(Kind::dp) + weightOf(Kind::edp);
    return both > 0.0
               ? std::optional{sumsOf(m_predicted, Kind::dp).exposedMean_s(Kind::dp) * weightOf(kind) / both}
               : std::nullopt;
}

std::optional<double> ComparisonTimes::predictedTime(const ComparisonRow& row) const
{
    if (m_ranks && m_ranks->hasCalls())
        return sumsOf(m_predicted, row.kind).meanOf(classOf(row)).exposed_s;
    const std::optional<double> of_kind = predictedTime(row.kind);
    const double weight = weightOf(row.kind);
    if (!of_kind || *of_kind == 0.0)
        return of_kind;
    const auto its = m_weights.find(classOf(row));
    return weight > 0.0 ? std::optional{its == m_weights.end() ? 0.0 : *of_kind * its->second / weight}
                        : std::nullopt;
}

double ComparisonTimes::weightOf(Kind kind) const
{
    double sum = 0.0;
    for (const auto& [messages, weight] : m_weights)
        if (std::get<Kind>(messages) == kind)
            sum += weight;
    return sum;
}

void ComparisonTimes::fillInRows(Comparison& comparison)
{
    std::map<Kind, KindTime> kinds;
    for (ComparisonRow& row : comparison.rows) {
        const RankSums::Times measured = sumsOf(m_measured, row.kind).meanOf(classOf(row));
        row.measured_s = m_part * measured.exposed_s;
        row.measured_in_all_s = m_part * measured.in_all_s;
        row.predicted_s = predictedTime(row);
        KindTime& time = kinds[row.kind];
        time.kind = row.kind;
        time.is_of_other_stages = m_busiest && !isOfBusiest(row.kind);
        time.predicted_s = predictedTime(row.kind);
        time.measured_s += row.measured_s;
        time.measured_in_all_s += row.measured_in_all_s;
    }
    for (const auto& [kind, time] : kinds)
        comparison.kinds.push_back(time);
}

void ComparisonTimes::fillInMeasured(Comparison& comparison) const
{
    comparison.measured_iteration_s = m_told_s;
    if (!m_busiest)
        return;
    const IterationTimes busiest = meanOf(m_measured.stages.at(*m_busiest));
    comparison.measured_iteration_s = m_part * busiest.length_s;
    comparison.measured_compute_s = m_part * busiest.compute_s;
    comparison.measured_idle_s = m_part * busiest.idle_s;
    comparison.measured_memory_s = m_part * busiest.memory_s;
}

// Of a log no rank tells which stage it is of: the prediction's own sums stand beside it.
void ComparisonTimes::fillInPredicted(Comparison& comparison) const
{
    if (!m_ranks)
        return;
    const TimePrediction& time = m_prediction.time;
    comparison.predicted_compute_s = time.compute_s;
    double idle_s = time.bubble_s;
    if (!m_predicted.stages.empty()) {
        const int stage = m_busiest.value_or(busiestStage(m_predicted.stages));
        const IterationTimes mean = meanOf(m_predicted.stages.at(stage));
        comparison.predicted_compute_s = mean.compute_s;
        idle_s = mean.idle_s;
    }
    if (comparison.is_forward_only) // which are no iteration
        return;
    comparison.predicted_iteration_s = time.iteration_s;
    comparison.predicted_idle_s = idle_s;
}

// Nothing where no rank tells its parts, or nothing is predicted.
void ComparisonTimes::fillInOther(Comparison& comparison) const
{
    double predicted_s =
        comparison.predicted_compute_s.value_or(0.0) + comparison.predicted_idle_s.value_or(0.0);
    double measured_s =
        comparison.measured_compute_s + comparison.measured_idle_s + comparison.measured_memory_s;
    for (const KindTime& kind : comparison.kinds) {
        if (kind.is_of_other_stages)
            continue;
        predicted_s += kind.predicted_s.value_or(0.0);
        measured_s += kind.measured_s;
    }
    if (comparison.predicted_iteration_s)
        comparison.predicted_other_s = restOf(*comparison.predicted_iteration_s, predicted_s);
    if (m_busiest)
        comparison.measured_other_s = restOf(comparison.measured_iteration_s, measured_s);
}

void ComparisonTimes::fillIn(Comparison& comparison)
{
    makeOneIteration(m_measured.stages);
    if (!m_measured.stages.empty())
        m_busiest = busiestStage(m_measured.stages);
    fillInRows(comparison);
    fillInMeasured(comparison);
    fillInPredicted(comparison);
    fillInOther(comparison);
}

} // namespace shardscope

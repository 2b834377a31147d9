#pragma once

#include "core/analysis/comparison.h"
#include "core/analysis/comparison_sums.h"
#include "core/analysis/iteration_times.h"
#include "core/analysis/predicted_ranks.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace shardscope
{

// The times of a comparison. Of the ranks that were measured both sides are gathered, by the same
// definitions; both are then those of one stage: the one that was busiest in the measurement.
class ComparisonTimes
{
public:
    // Without `predicted` nothing is told of predicted times. All outlive this.
    ComparisonTimes(const Scenario& scenario, const Prediction& prediction, PredictedRanks* predicted);

    // A rank that plays `part` on a stage; its figures are of `iterations`.
    void addRank(const RankMeasurement& rank, int stage, std::size_t part, std::int64_t iterations);
    // One of its messages, and calls that were measured of it.
    void addMessage(const Message& message);
    void addCalls(const MessageClass& messages, const RankSums::Times& times, int stage);
    // What was recorded as one iteration is so many.
    void divide(std::int64_t iterations) { m_part = 1.0 / static_cast<double>(iterations); }
    // A log, or a schedule, tells how long it takes, where no rank has a timeline.
    bool needsLength() const { return m_measured.stages.empty() && m_told_s == 0.0; }
    void takeLength(double seconds) { m_told_s = seconds; }

    // The times of the rows that it has, of kinds and of the iteration.
    void fillIn(Comparison& comparison);

private:
    struct Sums {
        RankSums all;
        std::map<int, RankSums> of_stage;
        std::map<int, std::vector<IterationTimes>> stages; // of ranks that have a timeline
    };

    void addPredicted(std::size_t part, int stage);
    void fillInRows(Comparison& comparison);
    void fillInMeasured(Comparison& comparison) const;
    void fillInPredicted(Comparison& comparison) const;
    void fillInOther(Comparison& comparison) const;
    bool isOfBusiest(Kind kind) const;
    const RankSums& sumsOf(const Sums& sums, Kind kind) const;
    std::optional<double> predictedTime(Kind kind) const;
    std::optional<double> predictedTime(const ComparisonRow& row) const;
    double weightOf(Kind kind) const;

    const Prediction& m_prediction;
    PredictedRanks* m_ranks;
    MessageWeights m_weight;
    Sums m_measured;
    Sums m_predicted;
    std::map<MessageClass, double> m_weights;
    std::optional<int> m_busiest; // nothing: no rank has a timeline
    double m_part = 1.0;          // of what was recorded that is an iteration
    double m_told_s = 0.0;
};

} // namespace shardscope

#include "widgets/models/message_counts.h"

#include "widgets/session/shown_text.h"

#include "core/analysis/run_mapping.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace shardscope
{

namespace
{

// Sorts by key and adds up what has the same.
void mergeCounts(std::vector<MessageCount>& counts)
{
    std::sort(counts.begin(), counts.end(),
              [](const MessageCount& a, const MessageCount& b) { return isBefore(a.key, b.key); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (kept > 0 && counts[kept - 1].key == counts[i].key)
            counts[kept - 1].count += counts[i].count;
        else
            counts[kept++] = counts[i];
    }
    counts.resize(kept);
}

} // namespace

QString callsText(double calls)
{
    return calls == std::floor(calls) ? groupedText(static_cast<std::int64_t>(calls))
                                      : QString::number(calls, 'f', 1);
}

bool mayBeRecorded(const Message& message, const MeasuredRun* measured)
{
    return !measured || !measured->is_forward_only || message.phase == Phase::forward;
}

RunPlaces::RunPlaces(const PredictedScenario* predicted, const MeasuredRun& run)
{
    if (predicted)
        m_layout.emplace(asInTheRun(predicted->scenario.parallel, run.measurement));
}

RunPlaces RunPlaces::ofPinned(const Content& content)
{
    const MeasuredRun& run = *content.pinned_run;
    if (run.layout)
        return RunPlaces{RankLayout{run.layout->parallel}};
    return RunPlaces{content.pinned_run_beside.get(), run};
}

std::optional<RankCoordinates> RunPlaces::of(std::int64_t rank) const
{
    if (!m_layout || rank < 0 || rank >= m_layout->worldSize())
        return std::nullopt;
    return m_layout->coordinates(rank);
}

bool RunPlaces::isIn(const RankScope& scope, std::int64_t rank) const
{
    if (scope.of == RankScope::Of::rank)
        return rank == scope.rank;
    if (scope.of != RankScope::Of::stage || !m_layout)
        return true;
    const auto place = of(rank);
    return place && place->pp == scope.stage;
}

std::optional<int> stageOf(const Scenario& scenario, std::int64_t rank)
{
    if (rank < 0 || rank >= scenario.worldSize())
        return std::nullopt;
    return RankLayout{scenario.parallel}.coordinates(rank).pp;
}

std::vector<std::int64_t> ranksOfStages(const PredictedScenario& predicted, const MeasuredRun* measured,
                                        const RankScope& scope)
{
    const std::size_t stages = predicted.prediction.stages.size();
    std::vector<std::int64_t> ranks(stages, 0);
    if (stages == 0)
        return ranks;
    const auto add = [&](std::optional<int> stage) {
        if (stage && *stage >= 0 && static_cast<std::size_t>(*stage) < stages)
            ++ranks[static_cast<std::size_t>(*stage)];
    };
    switch (scope.of) {
    case RankScope::Of::stage:
        add(scope.stage);
        return ranks;
    case RankScope::Of::rank:
        add(stageOf(predicted.scenario, scope.rank));
        return ranks;
    case RankScope::Of::read:
        if (measured && !measured->measurement.ranks.empty()) {
            const RunPlaces places{&predicted, *measured};
            for (const RankMeasurement& rank : measured->measurement.ranks)
                if (const auto place = places.of(rank.rank))
                    add(place->pp);
            return ranks;
        }
        break;
    case RankScope::Of::world:
        break;
    }
    std::fill(ranks.begin(), ranks.end(),
              predicted.prediction.world_size / static_cast<std::int64_t>(stages));
    return ranks;
}

std::vector<MessageCount> predictedCounts(const PredictedScenario& predicted, const MeasuredRun* measured,
                                          const RankScope& scope)
{
    const std::vector<std::int64_t> ranks = ranksOfStages(predicted, measured, scope);
    std::vector<MessageCount> counts;
    for (std::size_t stage = 0; stage < ranks.size(); ++stage) {
        if (ranks[stage] == 0)
            continue;
        for (const Message& message : predicted.prediction.stages[stage].messages)
            if (mayBeRecorded(message, measured))
                counts.push_back({{message.kind, message.op, message.message_bytes},
                                  static_cast<double>(message.count * ranks[stage])});
    }
    mergeCounts(counts);
    return counts;
}

bool isBefore(const MessageKey& a, const MessageKey& b)
{
    return std::tie(a.kind, a.op, a.message_bytes) < std::tie(b.kind, b.op, b.message_bytes);
}

} // namespace shardscope

#include "widgets/models/measured_calls.h"

#include "core/analysis/calls/layout_kinds.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/ranks/rank_layout.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace shardscope
{

namespace
{

// What calls are to the ranks of one part: the predicted message that they show, or themselves.
struct Meaning {
    MessageKey key;
    Shown shown = Shown::as_it_is;
};

// What experts receive of uneven routing is a part's own: it is met by its size there, and means the message
// of the stage, which is of the mean.
Meaning meaningOf(Kind kind, const ShownCalls& calls, std::span<const Message> of_stage,
                  const RankParts* parts, std::size_t part)
{
    Meaning meaning{{kind, calls.op, calls.message_bytes}, Shown::as_it_is};
    bool is_met = false;
    for (const Message& message : of_stage) {
        if (message.kind != kind)
            continue;
        const Shown shown = howShown(parts != nullptr ? parts->message(message, part) : message, calls);
        if (shown == Shown::no || (is_met && shown != Shown::as_it_is))
            continue;
        meaning = {{message.kind, message.op, message.message_bytes}, shown};
        is_met = true;
        if (shown == Shown::as_it_is)
            break;
    }
    return meaning;
}

// Calls of an iteration by what they mean: the sum over ranks, and the fewest and the most of one rank.
class CountsOfRanks
{
public:
    // Of the rank that is being read.
    void add(const Meaning& meaning, std::string_view name, int group_size, double calls)
    {
        auto row = std::ranges::find(m_counts, meaning.key, &MeasuredCount::key);
        if (row == m_counts.end()) {
            m_counts.push_back({meaning.key, 0.0, 0.0, 0.0, name, group_size, meaning.shown});
            row = m_counts.end() - 1;
            m_own.push_back(0.0);
            m_ranks_with.push_back(0);
        }
        m_own[static_cast<std::size_t>(row - m_counts.begin())] += calls;
    }

    void endRank()
    {
        for (std::size_t i = 0; i < m_counts.size(); ++i) {
            const double own = std::exchange(m_own[i], 0.0);
            if (!(own > 0.0))
                continue;
            MeasuredCount& count = m_counts[i];
            count.count += own;
            count.low = m_ranks_with[i] == 0 ? own : std::min(count.low, own);
            count.high = std::max(count.high, own);
            ++m_ranks_with[i];
        }
        ++m_ranks;
    }

    std::vector<MeasuredCount> take()
    {
        for (std::size_t i = 0; i < m_counts.size(); ++i)
            if (m_ranks_with[i] < m_ranks)
                m_counts[i].low = 0.0; // a rank of the scope made no such call
        std::ranges::sort(m_counts, isBefore, &MeasuredCount::key);
        return std::move(m_counts);
    }

private:
    std::vector<MeasuredCount> m_counts;
    std::vector<double> m_own; // of the rank that is being read, by row
    std::vector<std::size_t> m_ranks_with;
    std::size_t m_ranks = 0;
};

} // namespace

MeasuredCalls::MeasuredCalls(std::shared_ptr<const MeasuredRun> run) : m_run{std::move(run)}
{
    if (!m_run)
        return;
    for (const RankMeasurement& measured : m_run->measurement.ranks) {
        RankCalls rank{measured.rank, recordedIterations(m_run->traces, measured.rank), {}};
        for (const MeasuredCollective& collective : measured.collectives)
            rank.calls.emplace_back(classOf(collective), collective.count);
        m_ranks.push_back(std::move(rank));
    }
}

std::size_t MeasuredCalls::classOf(const MeasuredCollective& collective)
{
    const ShownCalls shown{collective.name, collective.dtype, collective.op, collective.message_bytes,
                           collective.in_bytes};
    const auto same = std::find_if(m_classes.begin(), m_classes.end(), [&](const CallClass& known) {
        return known.kind == collective.kind && known.shown == shown
               && known.group_size == collective.group_size;
    });
    if (same != m_classes.end())
        return static_cast<std::size_t>(same - m_classes.begin());
    m_classes.push_back({collective.kind, shown, collective.group_size});
    return m_classes.size() - 1;
}

std::int64_t MeasuredCalls::iterations(std::int64_t rank) const
{
    for (const RankCalls& known : m_ranks)
        if (known.rank == rank)
            return known.iterations;
    return 1;
}

std::vector<MeasuredCalls::PlacedRank> MeasuredCalls::ranksOf(const PredictedScenario* predicted,
                                                              const RankScope& scope) const
{
    std::optional<RankLayout> layout;
    if (predicted)
        layout.emplace(predicted->scenario.parallel);
    std::vector<PlacedRank> ranks;
    for (const RankCalls& calls : m_ranks) {
        if (scope.of == RankScope::Of::rank && calls.rank != scope.rank)
            continue;
        int stage = -1;
        if (layout) {
            if (calls.rank < 0 || calls.rank >= layout->worldSize())
                continue;
            stage = layout->coordinates(calls.rank).pp;
            if (scope.of == RankScope::Of::stage && stage != scope.stage)
                continue;
        }
        ranks.push_back({&calls, stage});
    }
    return ranks;
}

std::size_t MeasuredCalls::ranksIn(const PredictedScenario* predicted, const RankScope& scope) const
{
    return ranksOf(predicted, scope).size();
}

std::vector<MeasuredCount> MeasuredCalls::counts(const PredictedScenario* predicted,
                                                 const RankScope& scope) const
{
    const std::vector<PlacedRank> ranks = ranksOf(predicted, scope);
    const std::size_t stages = predicted ? predicted->prediction.stages.size() : 0;
    std::optional<RankParts> parts;
    if (predicted)
        parts.emplace(predicted->scenario);
    // What each class means to each part, found when it first occurs; the last row is for no part.
    const std::size_t all_parts = parts ? parts->size() : 0;
    std::vector<std::optional<Meaning>> meanings((all_parts + 1) * m_classes.size());
    CountsOfRanks counts;
    for (const PlacedRank& rank : ranks) {
        const bool has_stage = rank.stage >= 0 && static_cast<std::size_t>(rank.stage) < stages;
        const std::size_t part =
            has_stage ? parts->part(RankLayout{predicted->scenario.parallel}.coordinates(rank.calls->rank))
                      : all_parts;
        for (const auto& [call_class, count] : rank.calls->calls) {
            const CallClass& calls = m_classes[call_class];
            std::optional<Meaning>& meaning = meanings[part * m_classes.size() + call_class];
            if (!meaning)
                meaning = has_stage ? meaningOf(
                              calls.kind, calls.shown,
                              predicted->prediction.stages[static_cast<std::size_t>(rank.stage)].messages,
                              &*parts, part)
                                    : meaningOf(calls.kind, calls.shown, {}, nullptr, 0);
            counts.add(*meaning, calls.shown.name, calls.group_size,
                       static_cast<double>(count) / static_cast<double>(rank.calls->iterations));
        }
        counts.endRank();
    }
    return counts.take();
}

} // namespace shardscope

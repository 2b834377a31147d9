#include "widgets/models/measured_calls.h"

#include "core/analysis/iteration_times.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/ranks/rank_layout.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
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
                  const RankParts* parts, std::size_t part, const MeasuredRun* run)
{
    Meaning meaning{{kind, calls.op, calls.message_bytes}, Shown::as_it_is};
    bool is_met = false;
    for (const Message& message : of_stage) {
        if (message.kind != kind || !mayBeRecorded(message, run))
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

std::size_t mixed(std::size_t hash, std::size_t value)
{
    return (hash ^ value) * std::size_t{0x9e3779b97f4a7c15} + (hash >> 29);
}

struct KeyHash {
    std::size_t operator()(const MessageKey& key) const
    {
        const auto kind_and_op = static_cast<std::size_t>(key.kind) * 64 + static_cast<std::size_t>(key.op);
        return mixed(mixed(0, kind_and_op), static_cast<std::size_t>(key.message_bytes));
    }
};

// Calls of an iteration by what they mean: the sum over ranks, and the fewest and the most of one rank. Of
// uneven experts there may be as many rows as calls.
class CountsOfRanks
{
public:
    // Of the rank that is being read.
    void add(const Meaning& meaning, std::string_view name, std::int64_t group_size, double calls)
    {
        const auto [known, is_new] = m_rows.try_emplace(meaning.key, m_counts.size());
        if (is_new) {
            m_counts.push_back({meaning.key, 0.0, 0.0, 0.0, name, group_size, meaning.shown});
            m_own.push_back(0.0);
            m_ranks_with.push_back(0);
        }
        if (m_counts[known->second].group_size != group_size)
            m_counts[known->second].group_size = 0;
        if (m_own[known->second] == 0.0)
            m_of_rank.push_back(known->second);
        m_own[known->second] += calls;
    }

    void endRank()
    {
        for (const std::size_t i : m_of_rank) {
            const double own = std::exchange(m_own[i], 0.0);
            if (!(own > 0.0))
                continue;
            MeasuredCount& count = m_counts[i];
            count.count += own;
            count.low = m_ranks_with[i] == 0 ? own : std::min(count.low, own);
            count.high = std::max(count.high, own);
            ++m_ranks_with[i];
        }
        m_of_rank.clear();
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
    std::unordered_map<MessageKey, std::size_t, KeyHash> m_rows; // in m_counts
    std::vector<double> m_own;                                   // of the rank that is being read, by row
    std::vector<std::size_t> m_of_rank;                          // the rows that it has calls in
    std::vector<std::size_t> m_ranks_with;
    std::size_t m_ranks = 0;
};

} // namespace

// Rows of calls that differ in nothing but their number.
class MeasuredCalls::Classes
{
public:
    explicit Classes(std::vector<CallClass>& classes) : m_classes{classes} {}

    std::size_t rowOf(const MeasuredCollective& collective)
    {
        const CallClass calls{
            collective.kind,
            {collective.name, collective.dtype, collective.op, collective.message_bytes, collective.in_bytes},
            collective.group_size};
        const auto [known, is_new] = m_rows.try_emplace(calls, m_classes.size());
        if (is_new)
            m_classes.push_back(calls);
        return known->second;
    }

private:
    struct Hash {
        std::size_t operator()(const CallClass& calls) const
        {
            std::size_t hash = std::hash<std::string_view>{}(calls.shown.name);
            hash = mixed(hash, std::hash<std::string_view>{}(calls.shown.dtype));
            hash = mixed(hash, static_cast<std::size_t>(calls.kind) * 64
                                   + static_cast<std::size_t>(calls.shown.op));
            hash = mixed(hash, static_cast<std::size_t>(calls.shown.message_bytes));
            hash = mixed(hash, static_cast<std::size_t>(calls.shown.in_bytes));
            return mixed(hash, static_cast<std::size_t>(calls.group_size));
        }
    };

    std::vector<CallClass>& m_classes;
    std::unordered_map<CallClass, std::size_t, Hash> m_rows;
};

MeasuredCalls::MeasuredCalls(std::shared_ptr<const MeasuredRun> run) : m_run{std::move(run)}
{
    if (!m_run)
        return;
    Classes classes{m_classes};
    for (const RankMeasurement& measured : m_run->measurement.ranks) {
        RankCalls rank{measured.rank, iterationsOf(m_run->traces, m_run->measurement, measured.rank), {}};
        for (const MeasuredCollective& collective : measured.collectives)
            if (collective.countInSteps() > 0)
                rank.calls.emplace_back(classes.rowOf(collective), collective.countInSteps());
        m_ranks.push_back(std::move(rank));
    }
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
    std::vector<PlacedRank> ranks;
    if (!m_run)
        return ranks;
    const RunPlaces places{predicted, *m_run};
    for (const RankCalls& calls : m_ranks)
        if (places.isIn(scope, calls.rank))
            ranks.push_back({&calls, places.of(calls.rank)});
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
        const auto stage = static_cast<std::size_t>(rank.place ? rank.place->pp : 0);
        const bool has_stage = rank.place && stage < stages;
        const std::size_t part = has_stage ? parts->part(*rank.place) : all_parts;
        for (const auto& [call_class, count] : rank.calls->calls) {
            const CallClass& calls = m_classes[call_class];
            std::optional<Meaning>& meaning = meanings[part * m_classes.size() + call_class];
            if (!meaning)
                meaning = has_stage ? meaningOf(calls.kind, calls.shown,
                                                predicted->prediction.stages[stage].messages, &*parts, part,
                                                m_run.get())
                                    : meaningOf(calls.kind, calls.shown, {}, nullptr, 0, m_run.get());
            counts.add(*meaning, calls.shown.name, calls.group_size,
                       static_cast<double>(count) / static_cast<double>(rank.calls->iterations));
        }
        counts.endRank();
    }
    return counts.take();
}

} // namespace shardscope

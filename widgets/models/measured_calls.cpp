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

// What calls of one class mean to one part, and the row in which they are counted.
struct MeantCalls {
    Meaning meaning;
    std::string_view name;
    std::int64_t group_size = 0;
    std::size_t row = 0;
};

// Gives calls of one meaning one row, by key; of uneven experts there may be as many rows as calls. The name
// is of those that were met first.
std::vector<MeasuredCount> rowsOf(std::vector<MeantCalls>& meant)
{
    std::vector<MeantCalls*> sorted;
    sorted.reserve(meant.size());
    for (MeantCalls& calls : meant)
        sorted.push_back(&calls);
    const auto isEarlier = [](const MeantCalls* a, const MeantCalls* b) {
        return isBefore(a->meaning.key, b->meaning.key);
    };
    if (!std::ranges::is_sorted(sorted, isEarlier)) // mostly they are, as the run's are
        std::ranges::stable_sort(sorted, isEarlier);
    std::vector<MeasuredCount> rows;
    rows.reserve(sorted.size());
    for (MeantCalls* calls : sorted) {
        const Meaning& meaning = calls->meaning;
        if (rows.empty() || rows.back().key != meaning.key)
            rows.push_back({meaning.key, 0.0, 0.0, 0.0, calls->name, calls->group_size, meaning.shown});
        if (rows.back().group_size != calls->group_size)
            rows.back().group_size = 0;
        calls->row = rows.size() - 1;
    }
    return rows;
}

// Adds up the calls of an iteration rank by rank: the sum over ranks, and the fewest and the most of one
// rank.
class CountsOfRanks
{
public:
    explicit CountsOfRanks(std::vector<MeasuredCount> rows)
        : m_counts{std::move(rows)}, m_own(m_counts.size()), m_ranks_with(m_counts.size())
    {
    }

    // Of the rank that is being read.
    void add(std::size_t row, double calls)
    {
        if (m_own[row] == 0.0)
            m_of_rank.push_back(row);
        m_own[row] += calls;
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
        return std::move(m_counts);
    }

private:
    std::vector<MeasuredCount> m_counts;
    std::vector<double> m_own;          // of the rank that is being read, by row
    std::vector<std::size_t> m_of_rank; // the rows that it has calls in
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

// What the calls of a run mean to the ranks of a scope.
class MeasuredCalls::Meanings
{
public:
    Meanings(const MeasuredCalls& calls, const PredictedScenario* predicted)
        : m_calls{calls}, m_predicted{predicted}
    {
        if (predicted)
            m_parts.emplace(predicted->scenario);
        m_met.resize(m_parts ? m_parts->size() + 1 : 1); // the last is no part
    }

    // Where each class of calls stands in meant(), one further; 0: not met yet.
    using Places = std::vector<std::uint32_t>;

    const Places& add(const PlacedRank& rank)
    {
        const auto stage = static_cast<std::size_t>(rank.place ? rank.place->pp : 0);
        const bool has_stage = rank.place && m_predicted && stage < m_predicted->prediction.stages.size();
        const std::size_t part = has_stage ? m_parts->part(*rank.place) : m_met.size() - 1;
        Places& met = m_met[part];
        met.resize(m_calls.m_classes.size());
        std::span<const Message> messages;
        if (has_stage)
            messages = m_predicted->prediction.stages[stage].messages;
        for (const auto& [call_class, count] : rank.calls->calls) {
            if (met[call_class] != 0)
                continue;
            const CallClass& calls = m_calls.m_classes[call_class];
            m_meant.push_back({meaningOf(calls.kind, calls.shown, messages, has_stage ? &*m_parts : nullptr,
                                         part, m_calls.m_run.get()),
                               calls.shown.name, calls.group_size});
            met[call_class] = static_cast<std::uint32_t>(m_meant.size());
        }
        return met;
    }

    std::vector<MeantCalls>& meant() { return m_meant; }

private:
    const MeasuredCalls& m_calls;
    const PredictedScenario* m_predicted;
    std::optional<RankParts> m_parts;
    std::vector<Places> m_met; // by part
    std::vector<MeantCalls> m_meant;
};

std::vector<MeasuredCount> MeasuredCalls::counts(const PredictedScenario* predicted,
                                                 const RankScope& scope) const
{
    const std::vector<PlacedRank> ranks = ranksOf(predicted, scope);
    Meanings meanings{*this, predicted};
    std::vector<const Meanings::Places*> places;
    places.reserve(ranks.size());
    for (const PlacedRank& rank : ranks)
        places.push_back(&meanings.add(rank));
    CountsOfRanks counts{rowsOf(meanings.meant())};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankCalls& rank = *ranks[i].calls;
        for (const auto& [call_class, count] : rank.calls)
            counts.add(meanings.meant()[(*places[i])[call_class] - 1].row,
                       static_cast<double>(count) / static_cast<double>(rank.iterations));
        counts.endRank();
    }
    return counts.take();
}

} // namespace shardscope

#include "core/analysis/calls/unfinished_order.h"

#include "core/trace/natural_order.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace shardscope
{

namespace
{

// How strongly a row speaks for itself: less is stronger.
enum class Sign : std::uint8_t { a_rank_is_missing, a_dump_is_missing, a_rank_lags, none };

Sign signOf(const UnfinishedCollective& row)
{
    return !row.missing.empty() || !row.differing.empty() ? Sign::a_rank_is_missing
           : !row.no_dump.empty()                         ? Sign::a_dump_is_missing
           : !row.lagging.empty()                         ? Sign::a_rank_lags
                                                          : Sign::none;
}

class CauseOrder
{
public:
    CauseOrder(std::vector<UnfinishedRow>& rows, const DumpsByRank& dumps) : m_rows{rows}, m_dumps{dumps}
    {
        for (const auto& [rank, dump] : dumps)
            for (std::size_t i = 0; i < dump->calls.size(); ++i)
                if (isOpen(dump->calls[i]))
                    m_open[rank].push_back(i);
    }

    void sort()
    {
        std::ranges::sort(m_rows, [this](const UnfinishedRow& a, const UnfinishedRow& b) {
            const auto weight = [this](const UnfinishedRow& row) {
                return std::tuple{signOf(row.found), !isFirstSomewhere(row), row.found.lagging.empty(),
                                  -std::ssize(row.found.scheduled) - std::ssize(row.found.started)};
            };
            const auto weights = std::pair{weight(a), weight(b)};
            return weights.first != weights.second ? weights.first < weights.second
                                                   : naturallyBefore(a.found.group, b.found.group);
        });
    }

    void link()
    {
        const Sign strongest = m_rows.empty() ? Sign::none : signOf(m_rows[0].found);
        if (m_rows.empty() || (strongest == Sign::none && !isFirstSomewhere(m_rows[0])))
            return;
        findStanding();
        std::vector<std::vector<std::size_t>> before;
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            before.push_back(rowsBefore(row));
        // Rows with a sign of their own are causes, or follow from causes above them.
        std::vector<bool> is_explained(m_rows.size());
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const Sign sign = signOf(m_rows[row].found);
            const bool is_told = sign != Sign::none && (sign == strongest || isFirstSomewhere(m_rows[row]));
            if (row > 0 && !is_told)
                continue;
            for (const std::size_t earlier : before[row])
                if (earlier < row && is_explained[earlier] && !m_rows[row].found.follows)
                    m_rows[row].found.follows = earlier;
            is_explained[row] = true;
        }
        while (explainMore(before, is_explained)) {
        }
    }

private:
    // The rank waits in it, or does not come to it.
    void findStanding()
    {
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            for (const auto& [rank, place] : m_rows[row].places)
                m_standing[rank].push_back(row);
            for (const std::int64_t rank : m_rows[row].found.missing)
                m_standing[rank].push_back(row);
        }
    }

    // Nothing else is open on the rank since earlier.
    bool isFirst(std::int64_t rank, std::size_t place) const { return m_open.at(rank).front() == place; }
    bool isFirstSomewhere(const UnfinishedRow& row) const
    {
        return std::ranges::any_of(row.places,
                                   [this](const auto& place) { return isFirst(place.first, place.second); });
    }

    std::vector<std::size_t> standing(std::int64_t rank) const
    {
        const auto rows = m_standing.find(rank);
        return rows == m_standing.end() ? std::vector<std::size_t>() : rows->second;
    }

    // In which a rank stands by the messages that it waits for, when it comes to that place of its calls.
    std::set<std::size_t> rowsOfPeers(std::int64_t rank, std::size_t place) const
    {
        std::set<std::size_t> rows;
        const auto open = m_open.find(rank);
        for (std::size_t i = 0; open != m_open.end() && i < open->second.size(); ++i)
            if (const std::size_t call = open->second[i]; call < place)
                for (const std::size_t row : standing(m_dumps.at(rank)->calls[call].peer))
                    rows.insert(row);
        return rows;
    }

    // What a rank waited in when it came to the row.
    std::set<std::size_t> rowsBefore(std::int64_t rank, std::size_t place) const
    {
        std::set<std::size_t> before = rowsOfPeers(rank, place);
        for (const std::size_t other : standing(rank))
            if (const auto at = m_rows[other].places.find(rank);
                at != m_rows[other].places.end() && at->second < place)
                before.insert(other);
        return before;
    }

    // What keeps a rank from coming to a row.
    std::set<std::size_t> rowsInsteadOf(std::size_t row, std::int64_t rank) const
    {
        std::set<std::size_t> instead = rowsOfPeers(rank, m_dumps.at(rank)->calls.size());
        const std::vector<std::size_t> own = standing(rank);
        instead.insert(own.begin(), own.end());
        instead.erase(row);
        return instead;
    }

    // The rows before this one for all ranks that wait in it or do not come to it. Those that wait in nothing
    // else wait for the others.
    std::vector<std::size_t> rowsBefore(std::size_t row) const
    {
        std::vector<std::set<std::size_t>> of_ranks;
        for (const auto& [rank, place] : m_rows[row].places)
            if (!isFirst(rank, place))
                of_ranks.push_back(rowsBefore(rank, place));
        if (!of_ranks.empty())
            for (const std::int64_t rank : m_rows[row].found.missing)
                of_ranks.push_back(rowsInsteadOf(row, rank));
        std::vector<std::size_t> shared;
        if (of_ranks.empty())
            return shared;
        for (const std::size_t other : of_ranks.front())
            if (other != row && std::ranges::all_of(of_ranks, [&](const std::set<std::size_t>& rows) {
                    return rows.contains(other);
                }))
                shared.push_back(other);
        return shared;
    }

    bool explainMore(const std::vector<std::vector<std::size_t>>& before, std::vector<bool>& is_explained)
    {
        const std::vector<bool> known = is_explained;
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const auto cause =
                std::ranges::find_if(before[row], [&](std::size_t earlier) { return known[earlier]; });
            if (known[row] || cause == before[row].end())
                continue;
            m_rows[row].found.follows = *cause;
            is_explained[row] = true;
        }
        return is_explained != known;
    }

    std::vector<UnfinishedRow>& m_rows;
    const DumpsByRank& m_dumps;
    std::map<std::int64_t, std::vector<std::size_t>> m_open;     // by rank: rows in its dump's calls
    std::map<std::int64_t, std::vector<std::size_t>> m_standing; // by rank: rows
};

} // namespace

bool isOpen(const SizedCall& call)
{
    return call.state == "started" || call.state == "scheduled";
}

std::vector<UnfinishedCollective> orderedByCause(std::vector<UnfinishedRow> rows, const DumpsByRank& dumps)
{
    CauseOrder order{rows, dumps};
    order.sort();
    order.link();
    std::vector<UnfinishedCollective> ordered;
    ordered.reserve(rows.size());
    for (UnfinishedRow& row : rows)
        ordered.push_back(std::move(row.found));
    return ordered;
}

} // namespace shardscope

#include "core/analysis/calls/kind_assignment.h"

#include <algorithm>

namespace shardscope
{

// Walks through all assignments that never exceed what is expected.
class KindAssignment::Search
{
public:
    Search(const std::vector<Unit>& units, const std::vector<std::vector<Kind>>& candidates,
           const Demand& demand)
        : m_units{units},
          m_candidates{candidates},
          m_left{demand},
          m_chosen(units.size(), Kind::unknown),
          m_seen(units.size())
    {
    }

    // False: there were too many to look at.
    bool run()
    {
        place(0);
        return m_steps < most_steps;
    }
    // The kinds that a unit has in the assignments that meet every expectation.
    const std::vector<std::set<Kind>>& seen() const { return m_seen; }

private:
    static constexpr int most_steps = 200'000;

    void place(std::size_t unit)
    {
        if (++m_steps >= most_steps)
            return;
        if (unit == m_units.size()) {
            if (std::all_of(m_left.begin(), m_left.end(), [](const auto& x) { return x.second == 0; }))
                for (std::size_t i = 0; i < m_chosen.size(); ++i)
                    m_seen[i].insert(m_chosen[i]);
            return;
        }
        if (m_candidates[unit].empty()) // no kind makes these calls: the others can still be told
            place(unit + 1);
        for (const Kind kind : m_candidates[unit]) {
            const bool fits = take(m_units[unit], kind, 1);
            m_chosen[unit] = kind;
            if (fits)
                place(unit + 1);
            take(m_units[unit], kind, -1);
        }
    }

    bool take(const Unit& unit, Kind kind, std::int64_t sign)
    {
        bool fits = true;
        for (const auto& [call_class, count] : unit.counts) {
            std::int64_t& left = m_left[{kind, call_class}];
            left -= sign * count;
            fits = fits && left >= 0;
        }
        return fits;
    }

    const std::vector<Unit>& m_units;
    const std::vector<std::vector<Kind>>& m_candidates;
    Demand m_left;
    std::vector<Kind> m_chosen;
    std::vector<std::set<Kind>> m_seen;
    int m_steps = 0;
};

void KindAssignment::expect(Kind kind, int call_class, std::int64_t count)
{
    m_demand[{kind, call_class}] += count;
}

void KindAssignment::alreadyGiven(Kind kind, int call_class, std::int64_t count)
{
    if (const auto expected = m_demand.find({kind, call_class}); expected != m_demand.end())
        expected->second -= count;
}

std::vector<Kind> KindAssignment::candidates(const Unit& unit) const
{
    std::vector<Kind> kinds;
    for (int k = 0; k < kind_count; ++k) {
        const Kind kind = static_cast<Kind>(k);
        const bool makes_all = std::all_of(unit.counts.begin(), unit.counts.end(), [&](const auto& x) {
            return m_demand.contains({kind, x.first});
        });
        if (makes_all && std::find(unit.excluded.begin(), unit.excluded.end(), kind) == unit.excluded.end())
            kinds.push_back(kind);
    }
    return kinds;
}

std::vector<Kind> KindAssignment::solve() const
{
    std::vector<std::vector<Kind>> candidates_of;
    for (const Unit& unit : m_units)
        candidates_of.push_back(candidates(unit));
    Search search{m_units, candidates_of, m_demand};
    const bool complete = search.run();
    std::vector<Kind> kinds(m_units.size(), Kind::unknown);
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        if (const std::set<Kind>& seen = search.seen()[i]; complete && seen.size() == 1)
            kinds[i] = *seen.begin();
        else if (candidates_of[i].size() == 1)
            kinds[i] = candidates_of[i].front();
    }
    return kinds;
}

} // namespace shardscope

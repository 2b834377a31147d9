#pragma once

#include "core/collectives/collective.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace shardscope
{

// Which kind each unit of calls (a thread, a stream, a group) serves, when it is known how many calls of each
// class every kind makes altogether. Every unit serves one kind. Small: a rank has a handful of units and
// kinds.
class KindAssignment
{
public:
    struct Unit {
        std::map<int, std::int64_t> counts; // calls of each class
        std::vector<Kind> excluded;         // kinds that something else rules out
    };

    // `kind` makes `count` calls of that class; what is not expected does not happen.
    void expect(Kind kind, int call_class, std::int64_t count);
    // Calls whose kind is known already: they are no longer waited for.
    void alreadyGiven(Kind kind, int call_class, std::int64_t count);
    void addUnit(Unit unit) { m_units.push_back(std::move(unit)); }

    // One kind a unit. Where assignments exist that meet every expectation exactly, the kinds in which they
    // all agree; where none does (another scenario ran), the kinds that alone make all of a unit's classes.
    // Else unknown.
    std::vector<Kind> solve() const;

private:
    using Demand = std::map<std::pair<Kind, int>, std::int64_t>;
    class Search;

    std::vector<Kind> candidates(const Unit& unit) const;

    Demand m_demand;
    std::vector<Unit> m_units;
};

} // namespace shardscope

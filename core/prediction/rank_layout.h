#pragma once

#include "core/collectives/collective.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace shardscope {

// A rank's place in each dimension. ep is its place within its expert group (0 when expert is 1).
struct RankCoordinates {
    int tp = 0;
    int cp = 0;
    int dp = 0;
    int pp = 0;
    int ep = 0;
    bool operator==(const RankCoordinates&) const = default;
};

// Which rank stands where, and who is in a group with whom. A closed form over rank_order: nothing of the size of the
// world is stored.
class RankLayout
{
public:
    explicit RankLayout(const Parallel& parallel);

    std::int64_t worldSize() const { return m_world; }
    RankCoordinates coordinates(std::int64_t rank) const;
    std::int64_t rank(const RankCoordinates& place) const;
    // The members of the group of that kind that `rank` belongs to, in ring order; a group of one holds the rank alone.
    // pp: the ranks of its pipeline, first stage first. emb: the first and the last of them.
    // mp: the ranks among which the gradient norm is summed without ZeRO or experts: its replica's p * t.
    std::vector<std::int64_t> group(Kind kind, std::int64_t rank) const;

private:
    Parallel m_parallel;
    std::int64_t m_world = 1;
    std::array<std::int64_t, 5> m_stride{}; // by Dimension
};

} // namespace shardscope

#pragma once

#include "core/collectives/collective.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace shardscope
{

// A rank's place in each dimension. ep is its place within its expert group (0 when expert is 1).
struct RankCoordinates {
    int tp = 0;
    int cp = 0;
    int dp = 0;
    int pp = 0;
    int ep = 0;
    bool operator==(const RankCoordinates&) const = default;
};

// Which rank stands where, and who is in a group with whom. A closed form over rank_order: nothing of the
// size of the world is stored.
class RankLayout
{
public:
    explicit RankLayout(const Parallel& parallel);

    std::int64_t worldSize() const { return m_world; }
    RankCoordinates coordinates(std::int64_t rank) const;
    std::int64_t rank(const RankCoordinates& place) const;
    // The members of the group of that kind that `rank` belongs to, in ring order; a group of one holds the
    // rank alone. pp: the ranks of its pipeline, first stage first. emb: the first and the last of them. dp:
    // those that reduce gradients together, data and context. ep: `expert` neighbours of them. mp: where the
    // gradient norm is summed, the p * t ranks of a replica (with experts, of all replicas of an expert
    // group; with ZeRO everyone).
    std::vector<std::int64_t> group(Kind kind, std::int64_t rank) const;
    // The member after `rank` in that group, around the ring; for emb of a middle stage the rank itself.
    std::int64_t next(Kind kind, std::int64_t rank) const;
    // The rank of the stage before, around the pipeline.
    std::int64_t previousStage(std::int64_t rank) const;
    std::int64_t groupSize(Kind kind) const;
    // Members of rank 0's group whose rank is below `limit`: those on its node when `limit` ranks fill one.
    std::int64_t membersBelow(Kind kind, std::int64_t limit) const;

private:
    // Dimensions that a group runs along, innermost first: their mixed radix counts the members in rank
    // order.
    struct Axes {
        std::array<Dimension, 4> dimensions{};
        std::size_t count = 0;
    };
    Axes axes(std::initializer_list<Dimension> dimensions) const;
    Axes axesOf(Kind kind) const;
    std::int64_t stride(Dimension dimension) const { return m_stride[static_cast<std::size_t>(dimension)]; }
    std::int64_t size(const Axes& along) const;
    std::int64_t index(const Axes& along, std::int64_t rank) const;
    std::int64_t rankAt(const Axes& along, std::int64_t index, std::int64_t rank) const;
    std::vector<std::int64_t> normGroupOfExperts(std::int64_t rank) const;

    Parallel m_parallel;
    std::int64_t m_world = 1;
    std::array<std::int64_t, 5> m_stride{}; // by Dimension
};

} // namespace shardscope

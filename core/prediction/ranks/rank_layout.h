#pragma once

#include "core/collectives/collective.h"
#include "core/prediction/ranks/rank_axes.h"
#include "core/prediction/ranks/rank_digits.h"
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

// dualpipe: each stage also holds the layers of the one that is as far from the other end.
inline bool hasMirroredStages(const Parallel& parallel)
{
    return parallel.schedule == Schedule::dualpipe && parallel.pipeline > 1;
}

// Which rank stands where, and who is in a group with whom. A closed form over rank_order: nothing of the
// size of the world is stored.
class RankLayout
{
public:
    explicit RankLayout(const Parallel& parallel);

    std::int64_t worldSize() const { return m_world; }
    const Parallel& parallel() const { return m_parallel; }
    const RankDigits& digits() const { return m_digits; }
    RankCoordinates coordinates(std::int64_t rank) const;
    std::int64_t rank(const RankCoordinates& place) const;
    // The members of the group of that kind that `rank` belongs to, in ring order; a group of one holds the
    // rank alone. pp: the ranks of its pipeline, first stage first. emb: the first and the last of them. dp:
    // those that reduce gradients together, data and context (with dualpipe those of the mirrored stage too).
    // ep: `expert` neighbours of them. mp: where the gradient norm is summed, the p * t ranks of a replica
    // (with experts, of all replicas of an expert group; with ZeRO everyone).
    std::vector<std::int64_t> group(Kind kind, std::int64_t rank) const;
    // The first member of that group, which tells it from others of its kind; -1: emb has none of a middle
    // stage.
    std::int64_t firstMember(Kind kind, std::int64_t rank) const;
    // Expert groups are made of whole digits of the layout; else each has to be counted out.
    bool expertGroupsAreWhole() const { return m_digits.expertGroupsAreWhole(); }
    // Every block of `ranks` neighbours holds whole digits of the layout, so that groups lie on all blocks
    // alike.
    bool fillsBlocksAlike(std::int64_t ranks) const;
    // The member after `rank` in that group, around the ring; for emb of a middle stage the rank itself.
    std::int64_t next(Kind kind, std::int64_t rank) const;
    // The ranks of the stages before and after, around the pipeline.
    std::int64_t previousStage(std::int64_t rank) const;
    std::int64_t nextStage(std::int64_t rank) const;
    // Neighbours that belong to one stage.
    std::int64_t stageStride() const { return axis(Dimension::pp).stride; }
    std::int64_t groupSize(Kind kind) const;
    // Members of rank 0's group whose rank is below `limit`: those on its node when `limit` ranks fill one.
    std::int64_t membersBelow(Kind kind, std::int64_t limit) const;

private:
    RankAxis axis(Dimension dimension) const;
    RankAxes axes(std::initializer_list<Dimension> dimensions, bool mirrors_stages = false) const;
    RankAxes axesOf(Kind kind) const;
    // mp or edp where there are experts: of what shares them out only the digits that members of an expert
    // group differ in, or only the others. Pre of edp: the groups are whole.
    RankAxes expertAxes(Kind kind) const;
    // Groups that axesOf() does not count, since an expert group is a part of one.
    bool isIrregular(Kind kind) const;
    std::vector<std::int64_t> irregularGroup(Kind kind, std::int64_t rank) const;
    std::vector<std::int64_t> replicas(std::int64_t rank) const;
    std::int64_t stepOf(Kind kind, const RankAxes& along) const;

    Parallel m_parallel;
    RankDigits m_digits;
    std::int64_t m_world = 1;
    std::array<std::int64_t, 5> m_stride{}; // by Dimension
};

} // namespace shardscope

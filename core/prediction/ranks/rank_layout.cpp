#include "core/prediction/ranks/rank_layout.h"

#include "core/scenario/rank_order.h"

#include <algorithm>
#include <cassert>

namespace shardscope
{

RankLayout::RankLayout(const Parallel& parallel) : m_parallel{parallel}, m_digits{parallel}
{
    for (const Dimension dimension : parallel.rank_order) {
        m_stride[static_cast<std::size_t>(dimension)] = m_world;
        m_world *= sizeOf(parallel, dimension);
    }
}

RankAxis RankLayout::axis(Dimension dimension) const
{
    return {m_stride[static_cast<std::size_t>(dimension)], sizeOf(m_parallel, dimension), false};
}

RankAxes RankLayout::axes(std::initializer_list<Dimension> dimensions, bool mirrors_stages) const
{
    RankAxes along;
    for (const Dimension dimension : m_parallel.rank_order) {
        const bool mirrored = mirrors_stages && dimension == Dimension::pp;
        if (!mirrored && std::find(dimensions.begin(), dimensions.end(), dimension) == dimensions.end())
            continue;
        RankAxis next = axis(dimension);
        next.mirrored = mirrored;
        along.add(next);
    }
    return along;
}

// ep and edp are parts of what they run along.
RankAxes RankLayout::axesOf(Kind kind) const
{
    switch (kind) {
    case Kind::tp:
        return axes({Dimension::tp});
    case Kind::cp:
        return axes({Dimension::cp});
    case Kind::pp:
    case Kind::emb:
        return axes({Dimension::pp});
    case Kind::dp:
        return axes({Dimension::cp, Dimension::dp}, hasMirroredStages(m_parallel));
    case Kind::ep:
    case Kind::edp: {
        const bool mirrors = kind == Kind::edp && m_parallel.expert == 1 && hasMirroredStages(m_parallel);
        if (!m_parallel.expert_tensor_parallel)
            return axes({Dimension::tp, Dimension::cp, Dimension::dp}, mirrors);
        return axes({Dimension::cp, Dimension::dp}, mirrors);
    }
    case Kind::mp:
        if (m_parallel.zero_stage > 0)
            return axes({Dimension::tp, Dimension::cp, Dimension::dp, Dimension::pp});
        return axes({Dimension::tp, Dimension::pp});
    case Kind::unknown:
        break;
    }
    return {};
}

RankCoordinates RankLayout::coordinates(std::int64_t rank) const
{
    assert(rank >= 0 && rank < m_world);
    const auto place = [&](Dimension dimension) { return static_cast<int>(axis(dimension).index(rank)); };
    RankCoordinates coordinates{place(Dimension::tp), place(Dimension::cp), place(Dimension::dp),
                                place(Dimension::pp), 0};
    coordinates.ep = static_cast<int>(axesOf(Kind::ep).index(rank) % m_parallel.expert);
    return coordinates;
}

std::int64_t RankLayout::rank(const RankCoordinates& at) const
{
    return axis(Dimension::tp).stride * at.tp + axis(Dimension::cp).stride * at.cp
           + axis(Dimension::dp).stride * at.dp + axis(Dimension::pp).stride * at.pp;
}

bool RankLayout::isIrregular(Kind kind) const
{
    if (m_parallel.expert == 1)
        return false;
    return (kind == Kind::mp && m_parallel.zero_stage == 0)
           || (kind == Kind::edp && hasMirroredStages(m_parallel));
}

RankAxes RankLayout::expertAxes(Kind kind) const
{
    RankAxes along;
    for (std::size_t i = 0; i < m_digits.count(); ++i) {
        const RankDigit& digit = m_digits[i];
        const bool is_stage = digit.dimension == Dimension::pp;
        const bool of_norm = is_stage || digit.dimension == Dimension::tp || digit.in_expert_group;
        const bool of_replicas =
            is_stage || (sharesExperts(m_parallel, digit.dimension) && !digit.in_expert_group);
        if (kind == Kind::mp ? of_norm : of_replicas)
            along.add({digit.stride, digit.size, is_stage && kind == Kind::edp});
    }
    return along;
}

std::vector<std::int64_t> RankLayout::irregularGroup(Kind kind, std::int64_t rank) const
{
    std::vector<std::int64_t> members;
    if (kind == Kind::mp && !m_parallel.expert_tensor_parallel) {
        const RankAxes blocks = expertAxes(Kind::mp); // which expert groups cut across tensor groups
        for (std::int64_t i = 0; i < blocks.size(); ++i)
            members.push_back(blocks.rankAt(i, rank));
    } else if (kind == Kind::mp) {
        const RankAxes shards = axesOf(Kind::mp);
        for (const std::int64_t peer : group(Kind::ep, rank))
            for (std::int64_t i = 0; i < shards.size(); ++i)
                members.push_back(shards.rankAt(i, peer));
    } else {
        RankAxis stages = axis(Dimension::pp);
        stages.mirrored = true;
        for (const std::int64_t replica : replicas(rank))
            for (std::int64_t i = 0; i < 2; ++i)
                members.push_back(stages.moved(replica, i));
    }
    std::sort(members.begin(), members.end());
    return members;
}

// Those of the own stage that hold the same experts.
std::vector<std::int64_t> RankLayout::replicas(std::int64_t rank) const
{
    const RankAxes along = axesOf(Kind::edp);
    std::vector<std::int64_t> members;
    for (std::int64_t i = along.index(rank) % m_parallel.expert; i < along.size(); i += m_parallel.expert)
        members.push_back(along.rankAt(i, rank));
    return members;
}

// Members of a group are so far from each other along its axes: the embedding's are the first and the last.
std::int64_t RankLayout::stepOf(Kind kind, const RankAxes& along) const
{
    if (kind == Kind::emb)
        return std::max<std::int64_t>(1, along.size() - 1);
    return kind == Kind::edp ? m_parallel.expert : 1;
}

std::vector<std::int64_t> RankLayout::group(Kind kind, std::int64_t rank) const
{
    if (isIrregular(kind))
        return irregularGroup(kind, rank);
    if (kind == Kind::edp && m_parallel.expert > 1)
        return replicas(rank);
    const RankAxes along = axesOf(kind);
    std::int64_t first = 0;
    std::int64_t last = along.size() - 1;
    const std::int64_t step = stepOf(kind, along);
    if (kind == Kind::ep) {
        first = along.index(rank) / m_parallel.expert * m_parallel.expert;
        last = first + m_parallel.expert - 1;
    }
    std::vector<std::int64_t> members;
    for (std::int64_t i = first; i <= last; i += step)
        members.push_back(along.rankAt(i, rank));
    return members;
}

std::int64_t RankLayout::firstMember(Kind kind, std::int64_t rank) const
{
    if (isIrregular(kind))
        return m_digits.expertGroupsAreWhole() ? expertAxes(kind).rankAt(0, rank)
                                               : irregularGroup(kind, rank).front();
    const std::int64_t expert = m_parallel.expert;
    const RankAxes along = axesOf(kind);
    const std::int64_t own = along.index(rank);
    if (kind == Kind::emb && own != 0 && own + 1 != along.size())
        return -1;
    const std::int64_t first = kind == Kind::ep    ? own / expert * expert
                               : kind == Kind::edp ? own % expert
                                                   : 0;
    return along.rankAt(first, rank);
}

bool RankLayout::fillsBlocksAlike(std::int64_t ranks) const
{
    if (!m_digits.expertGroupsAreWhole() || (hasMirroredStages(m_parallel) && ranks > stageStride()))
        return false;
    for (std::size_t i = 0; i < m_digits.count(); ++i)
        if (ranks % m_digits[i].stride != 0 && m_digits[i].stride % ranks != 0)
            return false;
    return m_world % ranks == 0 || m_world < ranks;
}

std::int64_t RankLayout::next(Kind kind, std::int64_t rank) const
{
    const std::int64_t expert = m_parallel.expert;
    if (isIrregular(kind) && m_digits.expertGroupsAreWhole()) {
        const RankAxes along = expertAxes(kind);
        return along.rankAt((along.index(rank) + 1) % along.size(), rank);
    }
    if (isIrregular(kind)) {
        const std::vector<std::int64_t> all = irregularGroup(kind, rank);
        const auto after = std::upper_bound(all.begin(), all.end(), rank);
        return after == all.end() ? all.front() : *after;
    }
    const RankAxes along = axesOf(kind);
    const std::int64_t members = along.size();
    const std::int64_t own = along.index(rank);
    if (kind == Kind::emb) {
        const bool at_an_end = own == 0 || own + 1 == members;
        return at_an_end ? along.rankAt(members - 1 - own, rank) : rank;
    }
    if (kind == Kind::ep)
        return along.rankAt(own / expert * expert + (own + 1) % expert, rank);
    return along.rankAt((own + (kind == Kind::edp ? expert : 1)) % members, rank);
}

std::int64_t RankLayout::previousStage(std::int64_t rank) const
{
    const RankAxis stages = axis(Dimension::pp);
    return stages.moved(rank, (stages.index(rank) + stages.size - 1) % stages.size);
}

std::int64_t RankLayout::nextStage(std::int64_t rank) const
{
    const RankAxis stages = axis(Dimension::pp);
    return stages.moved(rank, (stages.index(rank) + 1) % stages.size);
}

std::int64_t RankLayout::groupSize(Kind kind) const
{
    const std::int64_t members = axesOf(kind).size();
    switch (kind) {
    case Kind::ep:
        return m_parallel.expert;
    case Kind::edp:
        return members / m_parallel.expert * (isIrregular(kind) ? 2 : 1);
    case Kind::emb:
        return members > 1 ? 2 : 1;
    case Kind::mp:
        if (m_parallel.zero_stage > 0 || m_parallel.expert == 1)
            return members;
        return m_parallel.expert_tensor_parallel ? members * m_parallel.expert : expertAxes(Kind::mp).size();
    default:
        return members;
    }
}

std::int64_t RankLayout::membersBelow(Kind kind, std::int64_t limit) const
{
    if (isIrregular(kind))
        return std::ranges::count_if(irregularGroup(kind, 0),
                                     [limit](std::int64_t member) { return member < limit; });
    const RankAxes along = axesOf(kind);
    const std::int64_t step = stepOf(kind, along);
    const std::int64_t end = std::min(groupSize(kind), (along.size() + step - 1) / step);
    std::int64_t members = 0;
    while (members < end && along.rankAt(members * step, 0) < limit)
        ++members;
    return members;
}

} // namespace shardscope

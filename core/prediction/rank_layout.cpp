#include "core/prediction/rank_layout.h"

#include <algorithm>
#include <cassert>

namespace shardscope
{

namespace
{

std::int64_t sizeOf(const Parallel& parallel, Dimension dimension)
{
    switch (dimension) {
    case Dimension::tp:
        return parallel.tensor;
    case Dimension::cp:
        return parallel.context;
    case Dimension::dp:
        return parallel.data;
    case Dimension::pp:
        return parallel.pipeline;
    case Dimension::ep:
        break;
    }
    return 1;
}

} // namespace

RankLayout::RankLayout(const Parallel& parallel) : m_parallel{parallel}
{
    for (const Dimension dimension : parallel.rank_order) {
        m_stride[static_cast<std::size_t>(dimension)] = m_world;
        m_world *= sizeOf(parallel, dimension);
    }
}

RankLayout::Axes RankLayout::axes(std::initializer_list<Dimension> dimensions) const
{
    Axes along;
    for (const Dimension dimension : m_parallel.rank_order)
        if (std::find(dimensions.begin(), dimensions.end(), dimension) != dimensions.end())
            along.dimensions[along.count++] = dimension;
    return along;
}

// ep and edp are parts of what they run along.
RankLayout::Axes RankLayout::axesOf(Kind kind) const
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
    case Kind::ep:
    case Kind::edp:
        return axes({Dimension::cp, Dimension::dp});
    case Kind::mp:
        if (m_parallel.zero_stage > 0)
            return axes({Dimension::tp, Dimension::cp, Dimension::dp, Dimension::pp});
        return axes({Dimension::tp, Dimension::pp});
    case Kind::unknown:
        break;
    }
    return {};
}

std::int64_t RankLayout::size(const Axes& along) const
{
    std::int64_t members = 1;
    for (std::size_t i = 0; i < along.count; ++i)
        members *= sizeOf(m_parallel, along.dimensions[i]);
    return members;
}

std::int64_t RankLayout::index(const Axes& along, std::int64_t rank) const
{
    std::int64_t index = 0;
    std::int64_t weight = 1;
    for (std::size_t i = 0; i < along.count; ++i) {
        const Dimension dimension = along.dimensions[i];
        const std::int64_t members = sizeOf(m_parallel, dimension);
        index += weight * (rank / stride(dimension) % members);
        weight *= members;
    }
    return index;
}

std::int64_t RankLayout::rankAt(const Axes& along, std::int64_t index, std::int64_t rank) const
{
    for (std::size_t i = 0; i < along.count; ++i) {
        const Dimension dimension = along.dimensions[i];
        const std::int64_t members = sizeOf(m_parallel, dimension);
        const std::int64_t own = rank / stride(dimension) % members;
        rank += (index % members - own) * stride(dimension);
        index /= members;
    }
    return rank;
}

RankCoordinates RankLayout::coordinates(std::int64_t rank) const
{
    assert(rank >= 0 && rank < m_world);
    const auto place = [&](Dimension dimension) {
        return static_cast<int>(rank / stride(dimension) % sizeOf(m_parallel, dimension));
    };
    RankCoordinates coordinates{place(Dimension::tp), place(Dimension::cp), place(Dimension::dp),
                                place(Dimension::pp), 0};
    coordinates.ep = static_cast<int>(index(axesOf(Kind::ep), rank) % m_parallel.expert);
    return coordinates;
}

std::int64_t RankLayout::rank(const RankCoordinates& at) const
{
    return stride(Dimension::tp) * at.tp + stride(Dimension::cp) * at.cp + stride(Dimension::dp) * at.dp
           + stride(Dimension::pp) * at.pp;
}

// The replicas of each of the expert group's ranks: no mixed radix of dimensions, since ep is a part of one.
std::vector<std::int64_t> RankLayout::normGroupOfExperts(std::int64_t rank) const
{
    const Axes shards = axesOf(Kind::mp);
    std::vector<std::int64_t> members;
    for (const std::int64_t peer : group(Kind::ep, rank))
        for (std::int64_t i = 0; i < size(shards); ++i)
            members.push_back(rankAt(shards, i, peer));
    std::sort(members.begin(), members.end());
    return members;
}

std::vector<std::int64_t> RankLayout::group(Kind kind, std::int64_t rank) const
{
    const Axes along = axesOf(kind);
    const std::int64_t own = index(along, rank);
    const std::int64_t expert = m_parallel.expert;
    std::int64_t first = 0;
    std::int64_t last = size(along) - 1;
    std::int64_t step = 1;
    if (kind == Kind::mp && m_parallel.zero_stage == 0 && expert > 1)
        return normGroupOfExperts(rank);
    if (kind == Kind::emb && last > 0)
        step = last;
    if (kind == Kind::ep) {
        first = own / expert * expert;
        last = first + expert - 1;
    }
    if (kind == Kind::edp) {
        first = own % expert;
        step = expert;
    }
    std::vector<std::int64_t> members;
    for (std::int64_t i = first; i <= last; i += step)
        members.push_back(rankAt(along, i, rank));
    return members;
}

std::int64_t RankLayout::previousStage(std::int64_t rank) const
{
    const Axes along = axesOf(Kind::pp);
    return rankAt(along, (index(along, rank) + size(along) - 1) % size(along), rank);
}

std::int64_t RankLayout::groupSize(Kind kind) const
{
    const std::int64_t members = size(axesOf(kind));
    switch (kind) {
    case Kind::ep:
        return m_parallel.expert;
    case Kind::edp:
        return members / m_parallel.expert;
    case Kind::emb:
        return members > 1 ? 2 : 1;
    case Kind::mp:
        return m_parallel.zero_stage > 0 ? members : members * m_parallel.expert;
    default:
        return members;
    }
}

std::int64_t RankLayout::membersBelow(Kind kind, std::int64_t limit) const
{
    const Axes along = axesOf(kind);
    const std::int64_t step = kind == Kind::edp ? m_parallel.expert : 1;
    const std::int64_t end = std::min(groupSize(kind), (size(along) + step - 1) / step);
    std::int64_t members = 0;
    while (members < end && rankAt(along, members * step, 0) < limit)
        ++members;
    return members;
}

std::int64_t RankLayout::next(Kind kind, std::int64_t rank) const
{
    const Axes along = axesOf(kind);
    const std::int64_t members = size(along);
    const std::int64_t own = index(along, rank);
    const std::int64_t expert = m_parallel.expert;
    if (kind == Kind::mp && m_parallel.zero_stage == 0 && expert > 1) {
        const std::vector<std::int64_t> all = normGroupOfExperts(rank);
        const auto after = std::upper_bound(all.begin(), all.end(), rank);
        return after == all.end() ? all.front() : *after;
    }
    if (kind == Kind::emb) {
        const bool at_an_end = own == 0 || own + 1 == members;
        return at_an_end ? rankAt(along, members - 1 - own, rank) : rank;
    }
    if (kind == Kind::ep)
        return rankAt(along, own / expert * expert + (own + 1) % expert, rank);
    return rankAt(along, (own + (kind == Kind::edp ? expert : 1)) % members, rank);
}

} // namespace shardscope

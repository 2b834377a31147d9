#include "core/prediction/ranks/rank_axes.h"

#include <algorithm>

namespace shardscope
{

std::int64_t RankAxis::index(std::int64_t rank) const
{
    const std::int64_t place = rank / stride % size;
    if (!mirrored)
        return place;
    return place <= size - 1 - place ? 0 : 1;
}

std::int64_t RankAxis::moved(std::int64_t rank, std::int64_t to) const
{
    const std::int64_t place = rank / stride % size;
    const std::int64_t lower = std::min(place, size - 1 - place);
    const std::int64_t step = mirrored ? size - 1 - 2 * lower : 1;
    return rank + (to - index(rank)) * step * stride;
}

std::int64_t RankAxes::size() const
{
    std::int64_t members = 1;
    for (std::size_t i = 0; i < m_count; ++i)
        members *= m_axes[i].places();
    return members;
}

std::int64_t RankAxes::index(std::int64_t rank) const
{
    std::int64_t index = 0;
    std::int64_t weight = 1;
    for (std::size_t i = 0; i < m_count; ++i) {
        index += weight * m_axes[i].index(rank);
        weight *= m_axes[i].places();
    }
    return index;
}

std::int64_t RankAxes::rankAt(std::int64_t index, std::int64_t rank) const
{
    for (std::size_t i = 0; i < m_count; ++i) {
        const std::int64_t places = m_axes[i].places();
        rank = m_axes[i].moved(rank, index % places);
        index /= places;
    }
    return rank;
}

} // namespace shardscope

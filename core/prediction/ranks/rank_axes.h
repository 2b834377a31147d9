#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace shardscope
{

// One dimension of the ranks: neighbours along it are `stride` ranks apart.
struct RankAxis {
    std::int64_t stride = 1;
    std::int64_t size = 1;
    // Two places instead of `size`: the own one and the one as far from the other end.
    bool mirrored = false;

    std::int64_t places() const { return mirrored ? 2 : size; }
    std::int64_t index(std::int64_t rank) const;
    // The rank at another place of this axis, alike in all else.
    std::int64_t moved(std::int64_t rank, std::int64_t to) const;
};

// The axes that a group of ranks runs along, innermost first: their mixed radix counts its members in rank
// order.
class RankAxes
{
public:
    void add(const RankAxis& axis)
    {
        assert(m_count < m_axes.size());
        m_axes[m_count++] = axis;
    }

    std::int64_t size() const;
    std::int64_t index(std::int64_t rank) const;
    // The member at that index of the group that `rank` belongs to.
    std::int64_t rankAt(std::int64_t index, std::int64_t rank) const;

private:
    std::array<RankAxis, 5> m_axes; // as many as a rank has digits
    std::size_t m_count = 0;
};

} // namespace shardscope

#pragma once

#include "widgets/plots/timeline/lane_columns.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// Puts coarser bins over fine ones: how much of each one paint fills, in 255ths of the bin. All are sums of
// the finest ones, so that what is little is not rounded again and again; what is there at all is at least 1.
class BinPyramid
{
public:
    static constexpr int most_levels = 14;
    static constexpr int full = 255;
    using Levels = std::array<std::uint8_t*, most_levels>;

    // `levels[k]` has room for 2 to the k bins, those up to the finest, as many as there are of `parts`.
    void fill(std::span<const LaneColumns::Part> parts, const Levels& levels);

private:
    std::vector<std::uint32_t> m_sums;
};

} // namespace shardscope

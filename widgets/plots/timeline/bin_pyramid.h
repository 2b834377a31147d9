#pragma once

#include "widgets/plots/timeline/lane_shade.h"

#include <array>
#include <cstdint>
#include <span>

namespace shardscope
{

// Puts coarser bins over fine ones, each with the mean fill of two and the paint with the largest sum in all
// finest bins below it: the larger of two would not do, as two small shares may make one large.
class BinPyramid
{
public:
    static constexpr int most_levels = 14;

    // `levels[k]` has room for 2 to the k bins; those of `finest` are there.
    void fill(const std::array<Shade*, most_levels>& levels, int finest);

private:
    struct Tally {
        std::array<std::int32_t, lane_paint_count> share{}; // in 255ths of a finest bin
        std::uint32_t touched = 0;                          // paints with a share
    };

    void close(int level, std::size_t bin);

    std::array<Shade*, most_levels> m_levels{};
    int m_finest = 0;
    std::array<Tally, most_levels> m_tallies{};
};

} // namespace shardscope

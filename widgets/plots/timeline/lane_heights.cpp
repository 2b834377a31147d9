#include "widgets/plots/timeline/lane_heights.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// From there on lanes are thinner.
constexpr std::size_t some_stages = 9;
constexpr std::size_t many_stages = 24;
constexpr double most_growth = 1.7;

} // namespace

LaneHeights heightsFor(double line_height, std::size_t stages)
{
    const int line = static_cast<int>(std::ceil(line_height));
    LaneHeights heights;
    const int thin = stages >= some_stages ? line - 2 : line + 2;
    heights.stage = stages >= many_stages ? line / 2 + 1 : thin;
    heights.stage_row = stages >= many_stages ? line / 4 : line / 2;
    heights.closed_rank = 2 * line - 4;
    heights.rank_title = line + 4;
    heights.row = line + 2;
    heights.closed_track = line;
    heights.counter = 2 * line + 4;
    return heights;
}

LaneHeights grown(LaneHeights heights, double factor)
{
    factor = std::clamp(factor, 1.0, most_growth);
    for (int* height :
         {&heights.stage, &heights.stage_row, &heights.closed_rank, &heights.row, &heights.closed_track})
        *height = static_cast<int>(*height * factor);
    return heights;
}

LaneHeights thinned(LaneHeights heights, double factor, double line_height)
{
    const int line = static_cast<int>(std::ceil(line_height));
    constexpr int least_row = 3;
    heights.stage = std::max(static_cast<int>(heights.stage * factor), std::min(heights.stage, line / 2 + 1));
    heights.stage_row =
        std::max(static_cast<int>(heights.stage_row * factor), std::min(heights.stage_row, least_row));
    heights.gap = 1;
    return heights;
}

} // namespace shardscope

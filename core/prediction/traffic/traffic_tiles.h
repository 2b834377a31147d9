#pragma once

#include "core/prediction/traffic/traffic_families.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// A square part of the matrix cut into bins x bins tiles: `span` ranks each way from the first ones on. Bin b
// holds the ranks at offsets o with o * bins / span == b.
struct TileGrid {
    std::int64_t first_row = 0;
    std::int64_t first_column = 0;
    std::int64_t span = 1;
    std::int64_t bins = 1; // at most `span`

    // Offset of the first rank of a bin.
    std::int64_t edge(std::int64_t bin) const { return (bin * span + bins - 1) / bins; }
};

// What a family has in one tile: so many cells, each of its bytes.
struct TileShare {
    std::int64_t row = 0; // bins
    std::int64_t column = 0;
    std::int64_t cells = 0;
};

// Appends the tiles that hold cells of a family. The work is that of the bins which its diagonal crosses,
// whatever the number of ranks.
void appendTiles(const TrafficFamily& family, const TileGrid& grid, std::vector<TileShare>& tiles);

} // namespace shardscope

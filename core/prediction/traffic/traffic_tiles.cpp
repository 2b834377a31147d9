#include "core/prediction/traffic/traffic_tiles.h"

#include <algorithm>

namespace shardscope
{

void appendTiles(const TrafficFamily& family, const TileGrid& grid, std::vector<TileShare>& tiles)
{
    // Senders that are in the square together with their receivers.
    const std::int64_t first_column = grid.first_column - family.delta;
    const std::int64_t begin = std::max({family.senders.first(), grid.first_row, first_column});
    const std::int64_t end =
        std::min({family.senders.last() + 1, grid.first_row + grid.span, first_column + grid.span});
    if (begin >= end)
        return;
    // The diagonal passes from tile to tile where a row's bin ends or a column's.
    std::int64_t row = (begin - grid.first_row) * grid.bins / grid.span;
    std::int64_t column = (begin - first_column) * grid.bins / grid.span;
    std::int64_t below = family.senders.countBelow(begin);
    for (std::int64_t from = begin; from < end;) {
        const std::int64_t row_end = grid.first_row + grid.edge(row + 1);
        const std::int64_t column_end = first_column + grid.edge(column + 1);
        const std::int64_t to = std::min({row_end, column_end, end});
        const std::int64_t below_end = family.senders.countBelow(to);
        if (below_end > below)
            tiles.push_back({row, column, below_end - below});
        row += to == row_end ? 1 : 0;
        column += to == column_end ? 1 : 0;
        below = below_end;
        from = to;
    }
}

} // namespace shardscope

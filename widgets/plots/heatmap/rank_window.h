#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// Geometry of a square rank x rank picture. Rows are senders, columns receivers, rank 0 at the top left.

// The ranks on screen, `span` of them each way. Fractions let dragging move by pixels.
struct RankWindow {
    double first_row = 0.0;
    double first_column = 0.0;
    double span = 1.0;
    bool operator==(const RankWindow&) const = default;
};

RankWindow wholeWorld(std::int64_t ranks);
// Zoomed by `factor` (below 1 zooms in), with the rank at (row, column) staying where it is. At least two
// ranks stay on screen, at most all.
RankWindow zoomed(const RankWindow& window, double factor, double row, double column, std::int64_t ranks);
RankWindow panned(const RankWindow& window, double rows, double columns, std::int64_t ranks);
// A window that shows all of [row, row + rows) x [column, column + columns), centred.
RankWindow fitted(double row, double column, double rows, double columns, std::int64_t ranks);

// Where a rank's edge lies in a square of `size` pixels whose first pixel is `first`'s edge.
double pixelOfRank(double rank, double first, double span, double size);
double rankAtPixel(double pixel, double first, double span, double size);

// Ranks that get a number on an axis: multiples of 1, 2, 4, 8, ... (or of whole nodes), at least `spacing`
// pixels apart.
std::vector<std::int64_t> rankTicks(double first, double span, double size, double spacing,
                                    std::int64_t ranks);
// Every how many ranks a node border is drawn so that borders stay 10 pixels apart; 0: not at all.
std::int64_t nodeBorderStep(std::int64_t gpus_per_node, double span, double size);

// One dimension of the layout along an axis: ranks [k * block, (k + 1) * block) stand at place k % size.
struct AxisBand {
    Dimension dimension = Dimension::tp;
    std::int64_t block = 1;
    std::int64_t size = 1;
};
// Outermost first; dimensions of size 1 are left out. ep counts the places of expert groups, which run along
// cp and dp, where these follow each other evenly.
std::vector<AxisBand> axisBands(const Parallel& parallel);

} // namespace shardscope

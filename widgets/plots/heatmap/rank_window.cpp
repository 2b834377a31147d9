#include "widgets/plots/heatmap/rank_window.h"

#include "core/prediction/ranks/rank_digits.h"
#include "core/scenario/rank_order.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace shardscope
{

namespace
{

constexpr double smallest_span = 2.0;
constexpr double closest_borders = 10.0;

double inWorld(double first, double span, std::int64_t ranks)
{
    return std::clamp(first, 0.0, std::max(0.0, static_cast<double>(ranks) - span));
}

// Expert groups are `expert` neighbours in the mixed radix of the dimensions that share experts out. Ranks
// between these that are of none of them break a group that needs several.
std::optional<AxisBand> expertBand(const Parallel& parallel)
{
    if (parallel.expert < 2)
        return std::nullopt;
    AxisBand band{Dimension::ep, 0, parallel.expert};
    std::int64_t block = 1;
    std::int64_t inner = 1; // values of those dimensions that have passed
    for (const Dimension dimension : parallel.rank_order) {
        const std::int64_t size = sizeOf(parallel, dimension);
        const bool shares = sharesExperts(parallel, dimension);
        if (size > 1 && band.block > 0 && !shares)
            return std::nullopt;
        if (size > 1 && shares) {
            band.block = band.block > 0 ? band.block : block;
            inner *= size;
            if (inner % parallel.expert == 0)
                return band;
        }
        block *= size;
    }
    return std::nullopt;
}

} // namespace

RankWindow wholeWorld(std::int64_t ranks)
{
    return {0.0, 0.0, std::max(1.0, static_cast<double>(ranks))};
}

RankWindow zoomed(const RankWindow& window, double factor, double row, double column, std::int64_t ranks)
{
    const double all = wholeWorld(ranks).span;
    const double span = std::clamp(window.span * factor, std::min(smallest_span, all), all);
    const double share = span / window.span;
    return {inWorld(row - (row - window.first_row) * share, span, ranks),
            inWorld(column - (column - window.first_column) * share, span, ranks), span};
}

RankWindow panned(const RankWindow& window, double rows, double columns, std::int64_t ranks)
{
    return {inWorld(window.first_row + rows, window.span, ranks),
            inWorld(window.first_column + columns, window.span, ranks), window.span};
}

RankWindow fitted(double row, double column, double rows, double columns, std::int64_t ranks)
{
    const double all = wholeWorld(ranks).span;
    const double span = std::clamp(std::max(rows, columns), std::min(smallest_span, all), all);
    return {inWorld(row - (span - rows) / 2.0, span, ranks),
            inWorld(column - (span - columns) / 2.0, span, ranks), span};
}

double pixelOfRank(double rank, double first, double span, double size)
{
    return (rank - first) * size / span;
}

double rankAtPixel(double pixel, double first, double span, double size)
{
    return first + pixel * span / size;
}

std::vector<std::int64_t> rankTicks(double first, double span, double size, double spacing,
                                    std::int64_t ranks)
{
    std::int64_t step = 1;
    while (static_cast<double>(step) * size < spacing * span)
        step *= 2;
    std::vector<std::int64_t> ticks;
    const auto from = static_cast<std::int64_t>(std::ceil(first / static_cast<double>(step))) * step;
    for (std::int64_t rank = from; rank < ranks && static_cast<double>(rank) < first + span; rank += step)
        ticks.push_back(rank);
    return ticks;
}

std::int64_t nodeBorderStep(std::int64_t gpus_per_node, double span, double size)
{
    if (gpus_per_node < 1 || static_cast<double>(gpus_per_node) * size < closest_borders * span)
        return 0;
    return gpus_per_node;
}

std::vector<AxisBand> axisBands(const Parallel& parallel)
{
    std::vector<AxisBand> bands;
    const std::optional<AxisBand> experts = expertBand(parallel);
    std::int64_t block = 1;
    for (const Dimension dimension : parallel.rank_order) {
        const std::int64_t size = sizeOf(parallel, dimension);
        if (size > 1) {
            if (experts && experts->block == block)
                bands.push_back(*experts);
            bands.push_back({dimension, block, size});
        }
        block *= size;
    }
    std::reverse(bands.begin(), bands.end());
    return bands;
}

} // namespace shardscope

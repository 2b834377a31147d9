#include "widgets/plots/heatmap/heatmap_scene.h"

#include <algorithm>

namespace shardscope
{

SquareLayout byNode(const SquareLayout& of_ranks)
{
    const std::int64_t node = std::max<std::int64_t>(1, of_ranks.gpus_per_node);
    SquareLayout layout;
    layout.gpus_per_node = 1;
    layout.ranks = (of_ranks.ranks + node - 1) / node;
    layout.nodes = NodePlaces{node, of_ranks.ranks};
    for (const AxisBand& band : of_ranks.bands)
        if (band.block % node == 0)
            layout.bands.push_back({band.dimension, band.block / node, band.size});
    return layout;
}

} // namespace shardscope

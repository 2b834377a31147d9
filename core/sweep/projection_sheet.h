#pragma once

#include "core/sweep/layer_projection.h"

#include <optional>
#include <vector>

namespace shardscope
{

// Pati et al. 2023, Table 2, on one sheet: columns are hidden sizes, once for each length; rows are tensor
// ranks, once for each batch.
struct ProjectionSheet {
    static constexpr int columns = static_cast<int>(swept_hidden.size() * swept_lengths.size());
    static constexpr int rows = static_cast<int>(swept_tensor.size() * swept_batches.size());
    // Nothing where there are more ranks than heads (of 64).
    std::vector<std::optional<LayerProjection>> cells; // row after row

    static LayerCase layerAt(int column, int row);
    const std::optional<LayerProjection>& cell(int column, int row) const
    {
        return cells[static_cast<std::size_t>(row * columns + column)];
    }
};

ProjectionSheet projectSheet(const Scenario& base, const Evolution& evolution);

} // namespace shardscope

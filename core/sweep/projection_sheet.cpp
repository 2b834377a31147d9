#include "core/sweep/projection_sheet.h"

namespace shardscope
{

namespace
{

constexpr std::int64_t head_dim = 64;
constexpr std::int64_t replicas = 4; // of the paper's machine

} // namespace

LayerCase ProjectionSheet::layerAt(int column, int row)
{
    const auto x = static_cast<std::size_t>(column);
    const auto y = static_cast<std::size_t>(row);
    return {swept_hidden[x % swept_hidden.size()], swept_lengths[x / swept_hidden.size()],
            swept_batches[y / swept_tensor.size()], swept_tensor[y % swept_tensor.size()], replicas};
}

ProjectionSheet projectSheet(const Scenario& base, const Evolution& evolution)
{
    ProjectionSheet sheet;
    sheet.cells.reserve(ProjectionSheet::columns * ProjectionSheet::rows);
    for (int row = 0; row < ProjectionSheet::rows; ++row)
        for (int column = 0; column < ProjectionSheet::columns; ++column) {
            const LayerCase layer = ProjectionSheet::layerAt(column, row);
            if (layer.tensor * head_dim > layer.hidden_size)
                sheet.cells.emplace_back();
            else
                sheet.cells.emplace_back(projectLayer(layer, base, evolution));
        }
    return sheet;
}

} // namespace shardscope

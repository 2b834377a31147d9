#include "core/prediction/model/chunk_shape.h"

#include "core/prediction/model/stage_layout.h"

namespace shardscope
{

std::vector<ChunkShape> chunkShapes(const IterationFigures& figures)
{
    if (figures.scenario.model.kind == ModelKind::parameter_list)
        return std::vector<ChunkShape>(static_cast<std::size_t>(figures.scenario.parallel.pipeline));
    const std::vector<std::int64_t> sizes = chunkLayers(figures);
    std::vector<ChunkShape> chunks(sizes.size());
    std::int64_t layer = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        chunks[i].first_layer = i == 0 ? 0 : figures.scenario.model.encoder_layers + layer;
        for (std::int64_t end = layer + sizes[i]; layer < end; ++layer)
            (isMoeLayer(figures.scenario.model, layer) ? chunks[i].moe_layers : chunks[i].dense_layers) +=
                1.0;
    }
    chunks.front().encoder_layers = static_cast<double>(figures.scenario.model.encoder_layers);
    chunks.back().mtp_layers = static_cast<double>(figures.scenario.model.mtp_layers);
    const auto stages = static_cast<std::size_t>(figures.scenario.parallel.pipeline);
    for (std::size_t i = 0; i < (figures.mirrored ? 1 : stages); ++i)
        chunks[i].loads = true;
    chunks.front().embedding = true;
    chunks.back().head = true;
    return chunks;
}

} // namespace shardscope

#include "core/prediction/model/chunk_shape.h"

#include "core/prediction/model/recomputation.h"
#include "core/prediction/model/stage_layout.h"

namespace shardscope
{

namespace
{

void addLayers(const Model& model, std::int64_t begin, std::int64_t end, std::int64_t again,
               ChunkShape& chunk)
{
    for (std::int64_t layer = begin; layer < end; ++layer) {
        const LayerForm form = layerForm(model, layer);
        chunk.decoder_layers[form] += 1.0;
        if (layer < begin + again)
            chunk.decoder_again[form] += 1.0;
    }
}

} // namespace

std::vector<ChunkShape> chunkShapes(const IterationFigures& figures)
{
    if (figures.scenario.model.kind == ModelKind::parameter_list)
        return std::vector<ChunkShape>(static_cast<std::size_t>(figures.scenario.parallel.pipeline));
    const Model& model = figures.scenario.model;
    const Training& training = figures.scenario.training;
    const std::vector<std::int64_t> sizes = chunkLayers(figures);
    std::vector<ChunkShape> chunks(sizes.size());
    std::int64_t layer = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        chunks[i].first_layer = i == 0 ? 0 : model.encoder_layers + layer;
        addLayers(model, layer, layer + sizes[i], wholeLayersAgain(training, sizes[i]), chunks[i]);
        layer += sizes[i];
    }
    chunks.front().encoder_layers = static_cast<double>(model.encoder_layers);
    chunks.front().encoder_again = static_cast<double>(wholeLayersAgain(training, model.encoder_layers));
    chunks.back().mtp_layers = static_cast<double>(model.mtp_layers);
    chunks.back().mtp_again = repeatsPredictionModules(training) ? chunks.back().mtp_layers : 0.0;
    const auto stages = static_cast<std::size_t>(figures.scenario.parallel.pipeline);
    for (std::size_t i = 0; i < (figures.mirrored ? 1 : stages); ++i)
        chunks[i].loads = true;
    chunks.front().embedding = true;
    chunks.back().head = true;
    return chunks;
}

} // namespace shardscope

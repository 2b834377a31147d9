#include "core/prediction/model/stage_layout.h"

#include "core/prediction/model/pipeline_chain.h"
#include "core/prediction/model/recomputation.h"

#include <algorithm>
#include <numeric>

namespace shardscope
{

namespace
{

// The first `items` mod `parts` parts hold one more.
std::vector<std::int64_t> evenParts(std::int64_t items, std::int64_t parts)
{
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), items / parts);
    std::fill_n(sizes.begin(), items % parts, items / parts + 1);
    return sizes;
}

// Embedding and head take the place of a layer on the first and on the last part.
std::vector<std::int64_t> partsWithEnds(std::int64_t layers, std::int64_t parts)
{
    std::vector<std::int64_t> sizes = evenParts(layers + 2, parts);
    --sizes.front();
    --sizes.back();
    return sizes;
}

// What a model is made of, in order: the embedding, the layers, the head.
std::vector<std::int64_t> parametersInOrder(const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    std::vector<std::int64_t> all{figures.word_embedding + figures.positions + figures.embedding_extras};
    for (std::int64_t layer = 0; layer < model.layers; ++layer)
        all.push_back(figures.layer(layerForm(model, layer)).total());
    all.push_back(figures.word_embedding + figures.final_norm + figures.head_extras
                  + model.mtp_layers * figures.mtp_module.total());
    return all;
}

// How many items each part holds that is filled in order while it stays within `limit`; each holds at least
// one. Empty if that cannot be.
std::vector<std::int64_t> partsWithin(const std::vector<std::int64_t>& items, std::size_t parts,
                                      std::int64_t limit)
{
    std::vector<std::int64_t> sizes{0};
    std::int64_t held = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::size_t parts_left = parts - sizes.size();
        const bool later_parts_need_it = items.size() - i <= parts_left;
        if (sizes.back() > 0 && (held + items[i] > limit || later_parts_need_it)) {
            if (parts_left == 0)
                return {};
            sizes.push_back(0);
            held = 0;
        }
        held += items[i];
        if (held > limit)
            return {};
        ++sizes.back();
    }
    return sizes.size() == parts ? sizes : std::vector<std::int64_t>{};
}

// Contiguous parts whose largest has the fewest parameters: the smallest limit that can be kept. Without
// sizes if there are fewer items than parts.
struct SmallestParts {
    std::int64_t limit = 0;
    std::vector<std::int64_t> sizes;
};
SmallestParts smallestParts(const std::vector<std::int64_t>& items, std::size_t parts)
{
    std::int64_t low = 0;
    std::int64_t high = std::accumulate(items.begin(), items.end(), std::int64_t{0});
    while (low + 1 < high) {
        const std::int64_t middle = low + (high - low) / 2;
        (partsWithin(items, parts, middle).empty() ? low : high) = middle;
    }
    return {high, partsWithin(items, parts, high)};
}

// The embedding is of the first layer, the head of the last.
SmallestParts partsOfLayers(std::vector<std::int64_t> all, std::size_t parts)
{
    all[1] += all.front();
    all.erase(all.begin());
    all[all.size() - 2] += all.back();
    all.pop_back();
    return smallestParts(all, parts);
}

// The embedding and the head may stand alone.
SmallestParts partsWithBareEnds(const std::vector<std::int64_t>& all, std::size_t parts)
{
    SmallestParts found = smallestParts(all, parts);
    if (!found.sizes.empty()) {
        --found.sizes.front();
        --found.sizes.back();
    }
    return found;
}

// An end of the model stands alone on its stage only where that makes the largest smaller.
std::vector<std::int64_t> partsByParameters(const IterationFigures& figures, std::int64_t parts)
{
    const std::vector<std::int64_t> all = parametersInOrder(figures);
    SmallestParts of_layers = partsOfLayers(all, static_cast<std::size_t>(parts));
    SmallestParts bare = partsWithBareEnds(all, static_cast<std::size_t>(parts));
    const bool is_smaller = !bare.sizes.empty() && bare.limit < of_layers.limit;
    return std::move(is_smaller ? bare.sizes : of_layers.sizes);
}

void countLayers(const Model& model, std::int64_t begin, std::int64_t end, LayersBySort& counts)
{
    for (std::int64_t layer = begin; layer < end; ++layer)
        ++counts.decoder[layerForm(model, layer)];
}

void holdLayers(StageShape& shape, const IterationFigures& figures, std::int64_t begin, std::int64_t end)
{
    const std::size_t held = shape.layers.size();
    shape.layers.resize(held + static_cast<std::size_t>(end - begin));
    std::iota(shape.layers.begin() + static_cast<std::ptrdiff_t>(held), shape.layers.end(),
              static_cast<int>(begin));
    countLayers(figures.scenario.model, begin, end, shape.counts);
}

void holdChunk(StageShape& shape, const IterationFigures& figures, std::int64_t begin, std::int64_t end)
{
    if (shape.decoderLayers() > 0 && end > begin)
        shape.later_chunks.push_back(shape.layers.size());
    holdLayers(shape, figures, begin, end);
    const std::int64_t again = wholeLayersAgain(figures.scenario.training, end - begin);
    countLayers(figures.scenario.model, begin, begin + again, shape.recomputed);
    shape.recomputes_a_chunk |= again > 0 && again == end - begin;
}

// All modules of multi-token prediction stand behind the last layer, on the stages that hold the head: with
// dualpipe both ends do, each for its half of the micro-batches.
void holdModules(StageShape& shape, const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    if (!shape.last || model.mtp_layers == 0)
        return;
    holdLayers(shape, figures, model.layers, model.layers + model.mtp_layers);
    shape.counts.mtp = model.mtp_layers;
    shape.embedding_copy = !shape.first;
    if (!repeatsPredictionModules(figures.scenario.training)) {
        shape.recomputes_a_chunk = false; // they go first, and leave more
        return;
    }
    shape.recomputed.mtp = model.mtp_layers;
    shape.recomputed.decoder[layerForm(model, model.layers)] += model.mtp_layers;
}

// Models with an encoder have one stage; its layers come first in the model's order.
void holdEncoder(StageShape& shape, const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    shape.counts.encoder = model.encoder_layers;
    shape.recomputed.encoder = wholeLayersAgain(figures.scenario.training, model.encoder_layers);
    shape.layers.resize(static_cast<std::size_t>(model.encoder_layers));
    std::iota(shape.layers.begin(), shape.layers.end(), 0);
}

void countParameters(StageShape& shape, const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    if (model.kind == ModelKind::parameter_list) {
        shape.end_parameters = countParameters(model).total;
        shape.dense_parameters = shape.end_parameters;
        return;
    }
    const bool embeds = shape.first || shape.embedding_copy;
    if (embeds)
        shape.end_parameters += figures.word_embedding + figures.positions + figures.embedding_extras;
    if (shape.last) {
        const bool head_is_the_embedding = model.tied_embeddings && embeds;
        shape.end_parameters +=
            figures.final_norm + figures.head_extras + (head_is_the_embedding ? 0 : figures.word_embedding);
    }
    shape.dense_parameters = shape.end_parameters + shape.counts.encoder * figures.encoder_layer.dense()
                             + shape.counts.mtp * figures.mtp_extra.dense();
    shape.counts.decoder.each([&](LayerForm form, std::int64_t layers) {
        const LayerParameters& layer = figures.layer(form);
        shape.dense_parameters += layers * layer.dense();
        shape.untrained_parameters += layers * layer.untrained;
        shape.routed_parameters += layers * layer.routed;
    });
}

} // namespace

std::vector<std::int64_t> chunkLayers(const IterationFigures& figures)
{
    const Parallel& parallel = figures.scenario.parallel;
    const Model& model = figures.scenario.model;
    const std::int64_t chunks = parallel.pipeline * parallel.virtual_stages;
    if (!parallel.stage_layers.empty())
        return parallel.stage_layers;
    switch (parallel.stage_balance) {
    case StageBalance::layers:
        break;
    case StageBalance::ends_count:
        return partsWithEnds(model.layers, chunks);
    case StageBalance::parameters:
        return partsByParameters(figures, chunks);
    }
    return evenParts(model.layers, chunks);
}

std::int64_t ownedParameters(const IterationFigures& figures, const StageShape& shape)
{
    if (figures.scenario.parallel.zero_stage == 0)
        return shape.trainedParameters();
    const auto share = [](std::int64_t parameters, std::int64_t ranks) {
        return (parameters + ranks - 1) / ranks;
    };
    return share(shape.dense_parameters, figures.data_group)
           + share(shape.routed_parameters, figures.expert_data_group);
}

std::vector<StageShape> layOutStages(const IterationFigures& figures)
{
    const PipelineChain chain{figures.scenario.parallel};
    std::vector<StageShape> stages(static_cast<std::size_t>(chain.stages));
    for (std::size_t i = 0; i < stages.size(); ++i) {
        stages[i].stage = static_cast<int>(i);
        const bool at_an_end = figures.mirrored && (i == 0 || i + 1 == stages.size());
        stages[i].first = i == 0 || at_an_end;
        stages[i].last = (chain.v_shaped ? i == 0 : i + 1 == stages.size()) || at_an_end;
    }
    if (figures.scenario.model.kind == ModelKind::transformer) {
        const std::vector<std::int64_t> chunks = chunkLayers(figures);
        holdEncoder(stages.front(), figures);
        std::int64_t layer = figures.scenario.model.encoder_layers;
        for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
            const int holder = chain.stageAt(static_cast<int>(chunk));
            holdChunk(stages[static_cast<std::size_t>(holder)], figures, layer, layer + chunks[chunk]);
            if (figures.mirrored)
                holdChunk(stages[stages.size() - 1 - chunk], figures, layer, layer + chunks[chunk]);
            layer += chunks[chunk];
        }
        for (StageShape& shape : stages)
            holdModules(shape, figures);
    }
    for (StageShape& shape : stages)
        countParameters(shape, figures);
    return stages;
}

} // namespace shardscope

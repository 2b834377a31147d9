#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/layers_by_sort.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardscope
{

// What every rank of one pipeline stage holds. With virtual stages it is several chunks of the model.
struct StageShape {
    int stage = 0;
    bool first = false; // holds the embedding; with dualpipe both ends of the pipeline do
    bool last = false;  // holds the final norm, the head and the loss; in a V that is the first stage too
    // For multi-token prediction a last stage looks words up too: it holds the embedding once more.
    bool embedding_copy = false;
    // Those of multi-token prediction come behind the model's own, on the last stage.
    std::vector<int> layers;
    std::vector<std::size_t> later_chunks; // where in `layers` each but the first of its chunks begins
    LayersBySort counts;                   // of `layers`
    LayersBySort recomputed;               // of them, those that are computed again whole
    bool recomputes_a_chunk = false;       // all layers of one, so that one is whole beside the inputs of all
    std::int64_t end_parameters = 0;       // embedding, positions, norms of the ends, head
    std::int64_t dense_parameters = 0;     // all but routed experts
    std::int64_t routed_parameters = 0;    // of the routed experts
    std::int64_t untrained_parameters = 0;

    std::int64_t decoderLayers() const { return counts.decoder.all(); }
    std::int64_t layersWith(bool (*has)(LayerForm)) const { return counts.decoder.with(has); }
    std::int64_t trainedParameters() const { return dense_parameters + routed_parameters; }
    std::int64_t parameters() const { return trainedParameters() + untrained_parameters; }
};

// Layers of each of the pipeline * virtual_stages chunks, in the model's order; whose they are PipelineChain
// tells. Without those of multi-token prediction, which the last one has beside them.
std::vector<std::int64_t> chunkLayers(const IterationFigures& figures);

// Parameters whose optimizer states one rank holds: its part of the group that shares them out from ZeRO
// stage 1 on; experts are shared by fewer ranks.
std::int64_t ownedParameters(const IterationFigures& figures, const StageShape& shape);

std::vector<StageShape> layOutStages(const IterationFigures& figures);

} // namespace shardscope

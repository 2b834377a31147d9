#pragma once

#include "core/prediction/model/iteration_figures.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardscope
{

// Layers of one virtual stage, and what of the model's ends stands there.
struct ChunkShape {
    std::int64_t first_layer = 0; // of the model, an encoder's first
    double dense_layers = 0.0;
    double moe_layers = 0.0;
    double encoder_layers = 0.0;
    double mtp_layers = 0.0; // modules of multi-token prediction, behind the model's last layer; no others
    bool embedding = false;
    bool loads = false; // batches: the first virtual stage of each stage that has them
    bool head = false;

    double layers() const { return dense_layers + moe_layers + encoder_layers + mtp_layers; }
    // Layers of several sorts.
    bool isMixed() const
    {
        return std::max({dense_layers, moe_layers, encoder_layers, mtp_layers}) < layers();
    }
};

// Of every virtual stage, in the order of the model. A model that is a list of parameters is one piece, in
// pure data parallelism.
std::vector<ChunkShape> chunkShapes(const IterationFigures& figures);

} // namespace shardscope

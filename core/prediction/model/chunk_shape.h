#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/layers_by_sort.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardscope
{

// Layers of one virtual stage, and what of the model's ends stands there.
struct ChunkShape {
    std::int64_t first_layer = 0; // of the model, an encoder's first
    LayersByForm<double> decoder_layers;
    double encoder_layers = 0.0;
    double mtp_layers = 0.0; // modules of multi-token prediction, behind the model's last layer; no others
    // Of them, those that are computed again whole: the first of the encoder's, the first of the decoder's,
    // and all modules or none.
    LayersByForm<double> decoder_again;
    double encoder_again = 0.0;
    double mtp_again = 0.0;
    bool embedding = false;
    bool loads = false; // batches: the first virtual stage of each stage that has them
    bool head = false;

    double layers() const { return decoder_layers.all() + encoder_layers + mtp_layers; }
    // Of a layer of the chunk by its place there.
    bool isAgain(std::int64_t place) const
    {
        const auto at = static_cast<double>(place);
        if (at < encoder_layers)
            return at < encoder_again;
        const double behind_encoder = at - encoder_layers;
        return behind_encoder < decoder_layers.all() ? behind_encoder < decoder_again.all() : mtp_again > 0.0;
    }
    // Layers of several sorts.
    bool isMixed() const
    {
        double most = std::max(encoder_layers, mtp_layers);
        decoder_layers.each([&](LayerForm, double of_form) { most = std::max(most, of_form); });
        return most < layers();
    }
};

// Of every virtual stage, in the order of the model. A model that is a list of parameters is one piece, in
// pure data parallelism.
std::vector<ChunkShape> chunkShapes(const IterationFigures& figures);

} // namespace shardscope

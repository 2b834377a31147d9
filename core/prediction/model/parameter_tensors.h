#pragma once

#include "core/prediction/model/layer_tensors.h"
#include "core/prediction/model/stage_layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// Sizes of the parameter tensors that a rank holds, in the order in which backward finishes their gradients:
// the head first, the embedding last. Tied weights wait for both of their uses. This is the order of PyTorch
// DDP's buckets once they are rebuilt after the first iteration.
struct GradientTensors {
    std::vector<std::int64_t> dense;
    std::vector<std::int64_t> routed; // of routed experts, where they are split; else they are dense
    // How many tensors precede each layer of the stage, the one that backward reaches first at the front. In
    // a model that is a list of tensors each is a layer.
    std::vector<std::size_t> dense_layers;
    std::vector<std::size_t> routed_layers;
    // How many tensors precede each chunk of the stage but the first that backward reaches.
    std::vector<std::size_t> dense_chunks;
    // The table that the first and the last stage both hold, among `dense`.
    std::optional<std::size_t> shared_embedding;
    std::vector<std::size_t> routed_chunks;
};
GradientTensors gradientTensors(const IterationFigures& figures, const StageShape& shape,
                                TensorChoice choice = TensorChoice::all);

} // namespace shardscope

#pragma once

#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <string>

namespace shardscope
{

// A number that the program shows and can explain.
enum class Figure : std::uint8_t {
    parameters_total,
    parameters_per_rank,
    world_size,
    micro_batches,
    model_flops,
    hardware_flops,
    peak_memory,
    weights_memory,
    gradients_memory,
    optimizer_memory,
    activations_memory,
    iteration_time,
    compute_time,
    tp_time,
    pp_time,
    dp_time,
    bubble_time,
    tokens_per_second,
    mfu,
    communication_ratio,
    bubble_ratio,
    parameters_active,
    cp_time,
    ep_time,
    hfu,
    temporaries_memory,
    buffers_memory,
    cached_memory,
    context_memory,
    emb_time,
    mp_time
};
inline constexpr int figure_count = static_cast<int>(Figure::mp_time) + 1;

// How a figure came about. The symbols are the papers': p, t, d pipeline, tensor, data; c context; b
// micro-batch, m micro-batches, gb global batch; l, h, a, s, V as usual; e bytes of an element, g of a
// gradient.
struct Explanation {
    std::string title;       // "Bubble ratio"
    std::string why;         // what it is, or why the message is sent: a sentence
    std::string formula;     // "(p - 1) / (p - 1 + m)"
    std::string with_values; // "(4 - 1) / (4 - 1 + 8) = 27.3 %"; for a message one line each for count, size,
                             // payload, wire
    std::string source;      // "Li et al. 2024, Eq. 6"
    std::string parts{};     // what the terms are made of, a line each; often empty
    std::string gaps{};      // what papers count instead, and why it differs, a line each; often empty
};

// `stage` is for the memory figures; the others are those of the whole iteration.
Explanation explain(Figure figure, const Scenario& scenario, const Prediction& prediction, int stage = 0);
// Why a message class runs, its count and size with values, wire against payload.
Explanation explain(const Message& message, int stage, const Scenario& scenario,
                    const Prediction& prediction);

} // namespace shardscope

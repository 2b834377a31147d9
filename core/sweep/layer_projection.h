#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>

namespace shardscope
{

// One layer as Pati et al. 2023 vary it. `base` gives the GPU, its links, the number format and the
// framework.
struct LayerCase {
    std::int64_t hidden_size = 4096;
    std::int64_t sequence_length = 2048;
    std::int64_t batch = 1;
    std::int64_t tensor = 16;
    std::int64_t data = 4; // replicas that reduce the layer's gradients beneath its backward pass
};

// How the hardware has changed since the scenario's cluster.
struct Evolution {
    double flop_vs_bandwidth = 1.0;     // compute grew that much more than the links
    bool in_network_reduction = false;  // switches add up: an all_reduce moves half of its bytes
    double slower_gradient_links = 1.0; // replicas are reached over links that much slower (8 across nodes)
    bool interferes = false;            // communication beneath compute slows it, as ComputeLaw says
};

// Operations and bytes of one layer, forward and backward, on one GPU: Pati et al. 2023, section 3.
struct LayerCounts {
    double fc_flops = 0.0;         // one product of the MLP forward: 2 * 4 h * h / t * s * b
    double attention_flops = 0.0;  // one of its two products: 2 * h / t * s * s * b
    double projection_flops = 0.0; // queries, keys, values: 3 * 2 * h / t * h * s * b
    double serialized_bytes = 0.0; // of one of the four all_reduces: precision / 8 * h * s * b
    double slack_flops = 0.0;      // weight and error gradients of one product: 4 * (4 h * h / t * s * b)
    double gradient_bytes = 0.0;   // reduced beneath them: precision / 8 * 4 h * h / t
    // What the two reduce to: operations for a byte that has to wait, and for one that can hide.
    double amdahl_edge = 0.0;     // (h + s) / t
    double slack_advantage = 0.0; // s * b
};
LayerCounts layerCounts(const LayerCase& layer, Precision precision);

// Its times with the detailed model's operators in the place of the paper's measured ones. All tensor ranks
// reach one another over the links inside a node, as the paper takes it, whatever their number.
struct LayerProjection {
    double compute_s = 0.0;    // forward and backward
    double serialized_s = 0.0; // four all_reduces that compute waits for
    double slack_s = 0.0;      // gradients of one product of the MLP
    double overlapped_s = 0.0; // all_reduce of that product's weight gradient

    double serializedFraction() const { return serialized_s / (compute_s + serialized_s); }
    // Above 1 the gradients do not hide any more.
    double overlappedFraction() const { return overlapped_s / slack_s; }
};
LayerProjection projectLayer(const LayerCase& layer, const Scenario& base, const Evolution& evolution);

// Where the time of a layer goes from end to end, its replicas' gradients included: the paper's case study.
struct LayerTimes {
    double compute_s = 0.0;
    double serialized_s = 0.0;
    double hidden_s = 0.0;  // reduced gradients beneath the backward pass: no part of the total
    double slowed_s = 0.0;  // what compute loses to those beneath it
    double exposed_s = 0.0; // the rest of reduced gradients

    double total_s() const { return compute_s + serialized_s + slowed_s + exposed_s; }
};

// The last layer of the scenario, with its own heads, MLP and experts: today, with GPUs that compute
// `evolution.flop_vs_bandwidth` times as fast, and with replicas behind links eight times slower that slow
// compute down: the three scenarios of the paper's Fig. 12.
struct LayerFutures {
    LayerCase layer;
    std::array<LayerTimes, 3> times;
};
LayerFutures layerFutures(const Scenario& scenario, const Evolution& evolution);

// The paper's sweep (Table 2).
inline constexpr std::array<std::int64_t, 7> swept_hidden{1024, 2048, 4096, 8192, 16384, 32768, 65536};
inline constexpr std::array<std::int64_t, 4> swept_lengths{1024, 2048, 4096, 8192};
inline constexpr std::array<std::int64_t, 2> swept_batches{1, 4};
inline constexpr std::array<std::int64_t, 7> swept_tensor{4, 8, 16, 32, 64, 128, 256};

// Tensor ranks that a model needs: base_t * p / s. p: its parameters against Megatron-LM's 3.9e9, which takes
// base_t = 8; s: the memory of a GPU against theirs.
double requiredTensor(double parameters, double memory_GB);

} // namespace shardscope

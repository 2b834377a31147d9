#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardscope
{

// What a study varies. Each axis says what else gives way, so that one value names one scenario.
enum class SweepAxis : std::uint8_t {
    gpus_strong,         // more replicas, the same global batch
    gpus_weak,           // more replicas, the batch grows with them
    pipeline,            // data gives way, the GPUs stay
    tensor,              // data gives way, the GPUs stay
    tensor_for_pipeline, // pipeline gives way, the GPUs stay
    context,             // data gives way, the GPUs stay
    expert,              // the GPUs stay as they are laid out
    zero_stage,
    schedule, // by Schedule
    micro_batch_size,
    global_batch_size,
    sequence_length,
    hidden_size, // heads keep their size, ffn_hidden_size its ratio
    layers,
    recomputed_layers,    // of each virtual stage, whole; with 0 what the scenario does beside that
    precision,            // by Precision
    network_bandwidth,    // of inter_node, GB/s
    node_bandwidth,       // of intra_node, GB/s
    flop_vs_bandwidth,    // how many times faster GPUs compute, with the same links (Pati et al. 2023)
    slower_links,         // how many times slower all links are
    in_network_reduction, // 0 or 1
};
inline constexpr int sweep_axis_count = static_cast<int>(SweepAxis::in_network_reduction) + 1;

// A place on one axis. Counts and enumerators are whole numbers.
struct AxisValue {
    SweepAxis axis = SweepAxis::gpus_strong;
    double value = 0.0;

    std::int64_t whole() const;
};

// Where the scenario itself stands.
double ownValue(const Scenario& scenario, SweepAxis axis);

// True for axes whose values are names: a schedule, a number format.
bool isNamed(SweepAxis axis);
// True for axes that take any size, not whole numbers alone.
bool isContinuous(SweepAxis axis);
// True for the two axes over numbers of GPUs.
bool setsGpus(SweepAxis axis);
// Two axes that would set the same figure: no scenario has a place on both.
bool setTheSame(SweepAxis one, SweepAxis other);

// "sequence length s": short, for lists and sentences.
std::string axisName(SweepAxis axis);
// "sequence length s (tokens)": below an axis.
std::string axisTitle(SweepAxis axis);
// "4K", "ZeRO 2", "25 GB/s", "ZB-H1": short, for a tick.
std::string axisText(SweepAxis axis, double value);
// The same within a sentence: "sequence length s 4K", "ZeRO 2", "64 GPUs".
std::string axisPhrase(SweepAxis axis, double value);
// "sequence_length": the column of a CSV file.
std::string axisKey(SweepAxis axis);
// The value that a text names: "4096", "25.5", "zb-h1". Error: the sentence says what is expected.
Result<double> axisValue(SweepAxis axis, std::string_view text);

} // namespace shardscope

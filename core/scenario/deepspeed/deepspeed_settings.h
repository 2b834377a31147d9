#pragma once

#include "core/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// What a DeepSpeed configuration (ds_config.json) sets of a scenario. Nothing: it does not, or what starts
// the run does ("auto" of Hugging Face's Trainer).
struct DeepSpeedSettings {
    // Samples of a step over all replicas, of one pass, and passes of a step.
    std::optional<std::int64_t> train_batch;
    std::optional<std::int64_t> micro_batch;
    std::optional<std::int64_t> accumulation;
    bool is_train_batch_auto = false;
    bool is_micro_batch_auto = false;
    bool is_accumulation_auto = false;

    std::optional<Precision> precision;
    bool is_precision_auto = false;
    std::optional<int> gradient_bytes; // of the sum
    std::optional<int> sent_bytes;     // of a gradient in a message
    std::optional<Optimizer> optimizer;
    // Of the weights that ZeRO's optimizer works on, and of its moments.
    std::optional<int> master_bytes;
    std::optional<int> moment_bytes;
    bool offloads_optimizer = false;
    bool recomputes = false;
    bool tells_how_to_recompute = false; // what, the model's code decides

    std::optional<int> zero_stage;      // nothing: "auto", or it cannot be told
    std::optional<std::int64_t> bucket; // elements that are reduced at once
    bool is_bucket_auto = false;
    std::optional<bool> overlaps;                        // reductions, with the backward pass
    ZeroReduction reduction = ZeroReduction::all_reduce; // of stages 1 and 2

    std::optional<std::int64_t> tensor;
    std::optional<std::int64_t> sequence; // Ulysses
    std::optional<std::int64_t> expert;
    std::optional<bool> tensor_overlaps;
    std::optional<bool> cuts_stage_messages;

    std::vector<std::string> notes; // sentences: what no scenario says, and what is not understood
};

// Whether the object is such a configuration: it has keys that only those have, and no section of a scenario.
bool isDeepSpeedConfig(const nlohmann::json& root);

// Keys of no interest are many and passed over, and no value fails: what is of another type is left out.
DeepSpeedSettings readDeepSpeedSettings(const nlohmann::json& root);

} // namespace shardscope

#pragma once

#include "core/base/result.h"
#include "core/scenario/megatron/run_arguments.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Letters of Megatron-LM's hybrid models whose layers are attention of another kind than *: sparse (D),
// compressed (C, H), of a window (W), latent (+).
inline constexpr std::string_view letters_of_other_attention = "DCHW+";

// A pattern of Megatron-LM's hybrid models, "M-M-|M-M*-/*-/*-", taken apart.
struct HybridPattern {
    std::string letters;                // one for each layer of the decoder
    std::vector<std::int64_t> segments; // layers between bars, each a virtual stage; one: no bar parts them
    std::vector<std::string> modules;   // letters of each module for further tokens
    bool has_groups = false;            // brackets make one layer of several
};
// Error: what is no letter of a layer, no layers or more than any model has, brackets that do not close.
Result<HybridPattern> hybridPattern(std::string_view text);

// The name of the argument that holds a pattern, of today or before; empty: none does.
std::string_view hybridPatternName(const RunArguments& arguments);
// Nothing as well where what is told is no pattern.
std::optional<HybridPattern> hybridPattern(const RunArguments& arguments);

// Whether the arguments start one of Megatron-LM's hybrid models, whose layers are one block each.
bool isHybrid(const RunArguments& arguments);

// The letters that Megatron-LM gives the layers by their shares of attention and of MLPs: evenly spaced,
// others are Mamba's (pattern_from_ratios). The shares are from 0 to 1, together as well.
std::string hybridLetters(std::int64_t layers, double attention, double mlp);

} // namespace shardscope

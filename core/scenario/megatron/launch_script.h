#pragma once

#include "core/base/run_argument.h"
#include "core/scenario/megatron/deepspeed_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What a launch script of Megatron-LM sets, and what could not be told.
struct LaunchScript {
    std::vector<RunArgument> arguments; // those that are set: what is not has Megatron-LM's default
    std::vector<std::string> notes;
    std::optional<DeepSpeedFile> deepspeed; // nothing: it names none
    // The line, from 1, with a quote that nothing closes; 0: all are closed.
    std::int64_t line_of_open_quote = 0;
};

// How the comment begins that says on which cluster the script is to run: a preset's name follows, or what
// the scenario's `cluster` holds.
inline constexpr std::string_view cluster_comment = "# shardscope cluster: ";

// What stands behind the first of them; empty: there is none.
std::string clusterOfScript(std::string_view text);

// Whether the text sets a model's layers and its hidden size as options do, and is no JSON.
bool looksLikeLaunchScript(std::string_view text);

// Whether the text, no JSON and no log, sets any of Megatron-LM's options that say how large a model is or
// how it is laid out: it is meant as such a script, even where those are missing that looksLikeLaunchScript()
// asks for.
bool isMeantAsLaunchScript(std::string_view text);

// Whether the text is what a training run or NCCL has printed.
bool looksLikeLog(std::string_view text);

// Every option of the training script that is written in the text, in commands, arrays and strings, under its
// name in Megatron-LM's table of arguments, and torchrun's "nnodes" and "nproc_per_node". Several values of
// one option are joined by blanks; expressions as those of moe_layer_freq stay as they are written. Not run
// is what chooses: of several values the last counts, and a note says so. Paths and names are left out, but
// for DeepSpeed's configuration.
LaunchScript readLaunchScript(std::string_view text);

} // namespace shardscope

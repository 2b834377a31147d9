#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// A scenario as the frameworks are told it. What they have no word for is said in comments, so that nothing
// is lost unnoticed.

// A shell command for Megatron-LM's pretraining scripts (megatron/training/arguments.py), an argument a line,
// comments above it. Error: the model is a list of tensors.
Result<std::string> megatronArguments(const Scenario& scenario);

// A line of comment that names the cluster, for above them: a preset that ships, or all figures. What reads
// scripts takes it (core/scenario/megatron/launch_script.h).
std::string clusterComment(const Cluster& cluster, const Presets& presets);

// DeepSpeed's JSON configuration; the comments are a list of its key "_comments", which DeepSpeed passes
// over.
Result<std::string> deepSpeedConfig(const Scenario& scenario);

} // namespace shardscope

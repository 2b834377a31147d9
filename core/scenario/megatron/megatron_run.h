#pragma once

#include "core/base/result.h"
#include "core/base/run_argument.h"
#include "core/scenario/scenario.h"

#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// A figure of a scenario that a run's arguments tell.
struct ArgumentFigure {
    std::string key;      // of the scenario format: "parallel.tensor"
    std::string value;    // as the format writes it
    std::string evidence; // "tensor_model_parallel_size 4"
};

// The run that arguments of Megatron-LM, or of Megatron-DeepSpeed, start.
struct MegatronRun {
    Scenario scenario;
    std::vector<ArgumentFigure> figures;
    std::vector<std::string> notes;   // sentences: what they do not tell, and what no scenario says
    bool batch_is_of_replica = false; // they tell no global one
};

// Whether the arguments are of a transformer, whose layers and widths they tell.
bool tellModel(std::span<const RunArgument> arguments);

// The scenario of the arguments; name, time model and cluster are those of `base`. What a command line leaves
// out has Megatron-LM's default.
// Error: a size is missing, or the ranks are no whole number of replicas.
Result<MegatronRun> megatronRun(std::span<const RunArgument> arguments, const Scenario& base);

} // namespace shardscope

#pragma once

#include "core/base/result.h"
#include "core/scenario/megatron/megatron_run.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace shardscope
{

// The run that a job configuration of torchtitan starts.
struct TorchtitanRun {
    Scenario scenario;
    std::vector<ArgumentFigure> figures;
    std::vector<std::string> notes;   // sentences: what it does not tell, and what no scenario says
    bool batch_is_of_replica = false; // it tells no global one
};

// The scenario of the tables of such a file; name, time model and cluster are those of `base`, and the model
// where its flavor is not known. What is left out has torchtitan's default. Error: a value that torchtitan
// would not take.
Result<TorchtitanRun> torchtitanRun(const nlohmann::json& job, const Presets& presets, const Scenario& base);

} // namespace shardscope

#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Whether training.recompute_modules has a say: they are Megatron-Core's.
bool hasRecomputeModules(Framework framework);
// Whether modules are what this run computes again.
bool recomputesModules(const Scenario& scenario);
// "moe_act, layernorm": as files and the form write them.
std::string moduleList(const std::vector<RecomputeModule>& modules, std::string_view separator = ", ");

// What is computed again, for people: "no recomputation", "recomputation of 3 layers a stage" (of virtual
// stages "a virtual stage"), "recomputation of moe_act, layernorm".
std::string recomputationWords(const Scenario& scenario);
// The same for a cell of a table: "none", "full 3", "moe_act, layernorm".
std::string recomputationBrief(const Scenario& scenario);

} // namespace shardscope

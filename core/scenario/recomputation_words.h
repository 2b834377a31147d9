#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// What is computed again, for people: "no recomputation", "recomputation of 3 layers a stage",
// "recomputation of moe_act, layernorm". A stage is a virtual one where there are several on a rank.
std::string recomputationWords(const Training& training);
// The same for a cell of a table: "none", "full 3", "moe_act, layernorm".
std::string recomputationBrief(const Training& training);

} // namespace shardscope

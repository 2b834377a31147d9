#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// What a reader of the scenario's prediction should know, each in a sentence: what the models leave out, what
// the framework would refuse or do in another way, what was never measured. Pre: the scenario is valid.
std::vector<std::string> warningsFor(const Scenario& scenario);

} // namespace shardscope

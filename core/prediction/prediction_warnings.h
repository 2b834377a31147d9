#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// What a prediction of a valid scenario leaves out or takes otherwise, a sentence each.
std::vector<std::string> warningsOf(const Scenario& scenario);

} // namespace shardscope

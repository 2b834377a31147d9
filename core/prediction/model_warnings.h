#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// What of a model counts for nothing, or is not known.
void warnOfModel(const Scenario& scenario, std::vector<std::string>& warnings);

} // namespace shardscope

#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// "It would fit with recompute full: 61.2 GiB."; empty where the scenario fits.
std::string memoryAdviceText(const Scenario& scenario);

} // namespace shardscope

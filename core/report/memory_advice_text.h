#pragma once

#include "core/scenario/scenario.h"
#include "core/sweep/memory_advice.h"

#include <string>

namespace shardscope
{

// "It would fit with recompute full: 61.2 GiB."; empty where the scenario fits.
std::string memoryAdviceText(const Scenario& scenario);
std::string memoryAdviceText(const MemoryAdvice& advice);

} // namespace shardscope

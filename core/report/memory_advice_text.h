#pragma once

#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"
#include "core/sweep/memory_advice.h"

#include <string>

namespace shardscope
{

// "It would fit with selective recomputation and sequence parallelism: 67.7 GiB, 12.1 s instead of 11.2 s.";
// empty where the scenario fits. `prediction` is the scenario's.
std::string memoryAdviceText(const Scenario& scenario, const Prediction& prediction);
std::string memoryAdviceText(const MemoryAdvice& advice, const Prediction& prediction);

} // namespace shardscope

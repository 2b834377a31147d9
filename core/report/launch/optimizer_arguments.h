#pragma once

#include "core/report/launch/command_arguments.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// Megatron-LM's optimizer and, where a scenario asks for others than fp32, the formats of its states.
void addOptimizer(const Scenario& scenario, CommandArguments& arguments);

} // namespace shardscope

#pragma once

#include "core/report/launch/command_arguments.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// Megatron-LM's batches, number formats, optimizer, recomputation and attention.
void addTraining(const Scenario& scenario, CommandArguments& arguments);

} // namespace shardscope

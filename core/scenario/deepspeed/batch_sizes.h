#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

struct DeepSpeedSettings;

// The batch as DeepSpeed works it out: train_batch_size is the product of the micro-batch, of passes of a
// step and of replicas, two of the three sizes tell the third, and all three tell the replicas. `before` has
// what is "auto". What cannot be is said, and the nearest batch that can is taken.
void setBatch(Scenario& scenario, const Scenario& before, const DeepSpeedSettings& settings,
              std::vector<std::string>& notes);

} // namespace shardscope

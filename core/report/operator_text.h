#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// What a layer of each form computes for one micro-batch on one GPU: a table for each.
std::string operatorsText(const Scenario& scenario);

} // namespace shardscope

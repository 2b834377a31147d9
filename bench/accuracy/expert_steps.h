#pragma once

#include "bench/accuracy/truth_cases.h"

#include <string>
#include <vector>

namespace shardscope
{

// The section of docs/accuracy.md about steps of models with experts.
std::string expertSection(const std::vector<TruthCase>& cases);

} // namespace shardscope

#pragma once

#include "core/inference/finding.h"
#include "core/inference/scenario_trial.h"

#include <string>
#include <vector>

namespace shardscope
{

// Tries what the shapes of operators do not tell: framework, ZeRO stage, schedule, ends, conventions.
void chooseByMessages(ScenarioTrial& trial);

// A figure whose other values would send the messages of the best scenario too, so that these do not tell it.
struct UntoldChoice {
    std::string key;
    double confidence = 0.0; // at most
    std::string others;      // "rope, alibi"
};
std::vector<UntoldChoice> untoldByMessages(ScenarioTrial& trial);

} // namespace shardscope

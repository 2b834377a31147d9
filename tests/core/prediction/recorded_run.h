#pragma once

#include "core/scenario/scenario.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace shardscope::test
{

// The recorded runs of a tiny GPT: every call that each rank made in one iteration, with its size.
struct RecordedRun {
    std::string name;
    nlohmann::json truth;
};

// By name; empty where the recordings are not at hand.
std::vector<RecordedRun> recordedRuns();

// The scenario that the run's configuration describes.
Scenario scenarioOf(const nlohmann::json& configuration);

} // namespace shardscope::test

#pragma once

#include "core/base/result.h"
#include "core/prediction/prediction.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <filesystem>
#include <string>
#include <vector>

namespace shardscope
{

// A published training step that no constant was fitted to, told in full by its source.
struct UnseenStep {
    std::string id;
    std::string source; // title
    std::string where;  // at which version
    double measured_s = 0.0;
    std::string scenario_text; // JSON
    Scenario scenario;
    Prediction prediction;

    double error() const { return prediction.time.iteration_s / measured_s - 1.0; }
};

// unseen_steps.json. Error: the file cannot be read, or a scenario of it is wrong.
Result<std::vector<UnseenStep>> readUnseenSteps(const std::filesystem::path& file, const Presets& presets);

// The section of docs/accuracy.md about them.
std::string unseenSection(const std::vector<UnseenStep>& steps);

} // namespace shardscope

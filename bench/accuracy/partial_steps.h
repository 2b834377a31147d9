#pragma once

#include "bench/accuracy/truth_cases.h"

#include <string>
#include <vector>

namespace shardscope
{

// A published training step whose source leaves open what a scenario needs; the program's defaults stand for
// it.
struct PartialStep {
    TruthCase run;
    std::vector<std::string> left_open; // "recomputation", "micro-batch"
    // Predicted with sequence parallelism; nothing: the source tells of it, or there is no tensor group.
    std::optional<double> sequence_parallel_s;

    double error() const { return run.prediction.time.iteration_s / run.measured_s - 1.0; }
};

// A published step that nothing can be predicted for, or whose time is not known.
struct StepLeftOut {
    std::string id;
    std::string source;
    std::string reason;
};

// Every public measured step that is neither complete nor shown for its schedule or its experts.
struct PartialSteps {
    std::vector<PartialStep> told;
    std::vector<StepLeftOut> left_out;
};

// Error: the file cannot be read, or a step of it makes no valid scenario.
Result<PartialSteps> readPartialSteps(const std::filesystem::path& file, const Presets& presets);

// The section of docs/accuracy.md about them.
std::string partialSection(const PartialSteps& steps);

} // namespace shardscope

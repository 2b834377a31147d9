#pragma once

#include "core/base/result.h"
#include "core/prediction/prediction.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// A published training step with its configuration as a scenario.
struct TruthCase {
    std::string id;
    std::string file;      // that it was read from, without its ending
    std::string source;    // title
    std::string reference; // where in the source, and at which version
    std::string model;
    std::string sweep; // the same for layouts of one model, source, GPU, precision and number of GPUs
    std::string gpu;   // type: "A100", "H100", ...
    std::string precision;
    int gpus = 0;
    int gpus_per_node = 0;
    double parameters = 0.0;
    bool large = false; // dense, 16 bit, at least 1e9 parameters
    double measured_s = 0.0;
    std::optional<double> memory_bytes; // at the peak, as the framework counts it
    bool ran_out_of_memory = false;
    Scenario scenario;
    Prediction prediction;     // with the constants that ship; no law changes its messages
    std::string scenario_text; // the same as JSON, with what the case says alone
};

// An entry of such a file with its configuration; what it does not say is left to the program's defaults. It
// tells sizes, layout, batch and micro-batch: json::exception where it does not. Error: no valid scenario.
Result<TruthCase> readTruthCase(const nlohmann::json& entry, const Presets& presets);

// Complete measured steps with a time, of all files; a case that stands in several is taken once. What a case
// does not say is left to the program's defaults. Error: a file cannot be read.
Result<std::vector<TruthCase>> readTruthCases(const std::vector<std::filesystem::path>& files,
                                              const Presets& presets);

// Steps of Qi et al. 2024 that differ by their pipeline schedule alone. They do not tell vocabulary and
// recomputation; first and last stage have a layer less, as the paper says.
Result<std::vector<TruthCase>> readScheduleCases(const std::filesystem::path& file, const Presets& presets);

// Steps of models with experts, which tell the model's name; its sizes are those of its preset.
Result<std::vector<TruthCase>> readExpertCases(const std::filesystem::path& file, const Presets& presets);

// Of all of these the runs that tell their memory, and complete ones that went out of it.
Result<std::vector<TruthCase>> readMemoryCases(const std::filesystem::path& file, const Presets& presets);

} // namespace shardscope

#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <filesystem>
#include <string>
#include <vector>

namespace shardscope
{

// A published training step, with its configuration and where it is from.
struct MeasuredCase {
    std::string id;
    std::string source;
    std::string reference; // table, file and version
    std::string gpu;       // type: "A100"
    int gpus = 0;
    double parameters = 0.0;
    double measured_s = 0.0;
    double predicted_s = 0.0; // by the program as it is
    // By constants that were found without any case of the source.
    double source_left_out_s = 0.0;
    Scenario scenario;
};

// resources/accuracy/cases.json, predicted anew. Error: the file cannot be read or is none of these.
Result<std::vector<MeasuredCase>> readMeasuredCases(const std::filesystem::path& file,
                                                    const Presets& presets);

} // namespace shardscope

#pragma once

#include "core/base/result.h"
#include "core/collectives/collective.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// A run that somebody has published: where it is told, and its configuration.
struct PublishedCase {
    std::string id;
    std::string source;
    std::string reference; // table, file and version
    std::string gpu;       // type: "A100"
    int gpus = 0;
    double parameters = 0.0;
    Scenario scenario;
};

// How long a training step took.
struct MeasuredStep {
    PublishedCase run;
    double measured_s = 0.0;
    double predicted_s = 0.0; // by the program as it is
    // By constants that were found without any case of the source; nothing: none was ever fitted to the step.
    std::optional<double> source_left_out_s;
    bool fits = true; // into the GPU's memory, as predicted
    // What its source does not tell ("micro-batch"), so that the scenario has a default for it; empty: told
    // in full.
    std::vector<std::string> left_open{};
};

// How many samples a pipeline's schedule trains in the time that 1F1B takes for one.
struct MeasuredSchedule {
    PublishedCase run;
    double measured_gain = 1.0;
    double predicted_gain = 1.0;
};

// What the fullest GPU held, as the run's framework counts it; nothing: the run went out of memory.
struct MeasuredMemory {
    PublishedCase run;
    std::optional<double> measured_bytes;
    double predicted_bytes = 0.0;
    bool fits = true;
};

// A point of a published curve: a collective by itself.
struct MeasuredMessage {
    std::string curve;
    std::string source;
    std::string system; // name of its preset
    Op op = Op::all_reduce;
    int ranks = 2;
    std::int64_t message_bytes = 0;
    double measured_s = 0.0;
    double predicted_s = 0.0;
    // By the constants that links have which nobody has measured.
    double other_links_s = 0.0;
    double busbw_GBps = 0.0; // measured, as nccl-tests counts it
};

// The lists of resources/accuracy, predicted anew. Error: the file cannot be read or is none of these.
Result<std::vector<MeasuredStep>> readMeasuredSteps(const std::filesystem::path& file,
                                                    const Presets& presets);
Result<std::vector<MeasuredSchedule>> readMeasuredSchedules(const std::filesystem::path& file,
                                                            const Presets& presets);
Result<std::vector<MeasuredMemory>> readMeasuredMemory(const std::filesystem::path& file,
                                                       const Presets& presets);
Result<std::vector<MeasuredMessage>> readMeasuredMessages(const std::filesystem::path& file,
                                                          const Presets& presets);

} // namespace shardscope

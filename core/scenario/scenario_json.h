#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

class ScenarioSettings;

// What a scenario was read from.
enum class ScenarioSource : std::uint8_t {
    scenario,
    model_config,      // the config.json of a Hugging Face model: its model in the default run
    launch_script,     // that starts Megatron-LM
    deepspeed_config,  // ds_config.json: how DeepSpeed trains what is there
    torchtitan_config, // a job of torchtitan
};

// What starts a run: the scenario is all that run's, but for where it runs, and no file to save into.
constexpr bool isOfRun(ScenarioSource source)
{
    return source == ScenarioSource::launch_script || source == ScenarioSource::torchtitan_config;
}

// A scenario file's content, resolved, and what the reader had to assume (an unknown GPU, a missing figure).
struct ScenarioReading {
    Scenario scenario;
    std::vector<std::string> warnings;
    ScenarioSource source = ScenarioSource::scenario;
    // The file tells the batch of a replica, or none: the global one is so many times it.
    bool batch_is_of_replica = false;
    // Which one stands for the cluster that such a file does not name. Empty: it names its own, or is a
    // scenario, in which any key may be left out.
    std::string assumed_cluster;
};

// No scenario comes near; a trace that was taken for one does.
inline constexpr std::uintmax_t largest_scenario_bytes = std::uintmax_t{4} << 20U;

// Whether a text is meant as one, or as the config.json of a Hugging Face model or DeepSpeed's configuration
// (an object of JSON, though it may end in a slip, with keys that those have and none of a trace's), or as a
// script that starts Megatron-LM, or as a job configuration of torchtitan (TOML). So are configurations that
// are not read (unread_text.h), whose readers tell so.
bool looksLikeScenario(std::string_view json);

// Reads the *.scenario.json format, the config.json of a Hugging Face model (hugging_face_config.h), a launch
// script (megatron/launch_script.h), DeepSpeed's configuration (deepspeed/deepspeed_settings.h), or a job
// configuration of torchtitan (torchtitan/job_text.h). Keys that are left out get the preset's value, the
// framework's (defaults.h), or what follows from other sizes. Error: broken JSON (with the byte position), a
// wrong type, an unknown key (with the nearest known one), an unknown word or preset. Does not validate:
// validate() does. `base`, where it is given, has the time model of a script's or a job's run, and the
// cluster where no comment names one (megatron/launch_script.h), and is what DeepSpeed's configuration is
// laid over. `folder` is the launch script's own, where what it hands to DeepSpeed may lie.
Result<ScenarioReading> readScenario(std::string_view json, const Presets& presets,
                                     const Scenario* base = nullptr,
                                     const std::filesystem::path& folder = {});
// `settings`, where they are given, are put into its text (scenario_settings.h).
Result<ScenarioReading> readScenarioFile(const std::filesystem::path& file, const Presets& presets,
                                         const Scenario* base = nullptr,
                                         const ScenarioSettings* settings = nullptr);

// A figure of a cluster that the reader had to take from elsewhere.
struct ClusterAssumption {
    std::string key; // within the cluster: "gpu", "mu"; empty where only the sentence tells it
    std::string sentence;
};

// A cluster on its own: the content of the scenario's `cluster`.
struct ClusterReading {
    Cluster cluster;
    std::vector<ClusterAssumption> assumptions;
};
Result<ClusterReading> readCluster(std::string_view json, const Presets& presets);
ClusterReading readCluster(const ClusterPreset& preset);

// What of the two a text holds, though something may be wrong with it. keys: those of `cluster`.
enum class ClusterForm : std::uint8_t { keys, preset, scenario };
ClusterForm clusterFormOf(std::string_view json);

// The cluster in the place of the scenario's own, of which no warning speaks any more.
void replaceCluster(ScenarioReading& reading, const ClusterReading& cluster);

class JsonWriter;

// Every key, resolved; `indent` < 0 writes one compact line. readScenario of it gives the same scenario.
std::string writeScenario(const Scenario& scenario, int indent = 2);
void writeScenario(const Scenario& scenario, JsonWriter& json);
void writeModel(const Model& model, JsonWriter& json);
void writeCluster(const Cluster& cluster, JsonWriter& json);
void writeCompute(const ComputeLaw& compute, JsonWriter& json);

// Writes beside the file and renames, so that a reader never sees half a file. Error: the sentence names the
// file.
Result<bool> saveScenarioFile(const std::filesystem::path& file, const Scenario& scenario);

} // namespace shardscope

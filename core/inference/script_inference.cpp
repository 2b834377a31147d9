#include "core/inference/script_inference.h"

#include "core/base/file.h"
#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/megatron/launched_run.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/torchtitan/job_text.h"
#include "core/scenario/validation/validation.h"

#include <utility>

namespace shardscope
{

namespace
{

Finding clusterOf(const ScenarioReading& reading)
{
    const std::string& gpu = reading.scenario.cluster.gpu;
    const std::string file = reading.source == ScenarioSource::launch_script ? "script" : "file";
    if (reading.assumed_cluster.empty())
        return {"cluster.gpu", gpu, confidence::told, "a comment of the " + file + " names the cluster"};
    return {"cluster.gpu", gpu, confidence::assumed, "nothing in the " + file + " tells it"};
}

std::vector<ArgumentFigure> figuresOf(const std::string& text, const ScenarioReading& reading,
                                      const std::filesystem::path& folder, const Presets& presets)
{
    if (reading.source == ScenarioSource::torchtitan_config) {
        Result<TorchtitanRun> run = runOfJobConfig(text, presets, reading.scenario);
        return run ? std::move(run.value().figures) : std::vector<ArgumentFigure>{};
    }
    Result<MegatronRun> run = launchedRun(text, reading.scenario, folder);
    return run ? std::move(run.value().figures) : std::vector<ArgumentFigure>{};
}

} // namespace

bool startsRun(const std::filesystem::path& file)
{
    std::error_code problem;
    if (!std::filesystem::is_regular_file(file, problem)
        || std::filesystem::file_size(file, problem) > largest_scenario_bytes || problem)
        return false;
    const Result<std::string> text = readFile(file, largest_scenario_bytes);
    return text && (looksLikeLaunchScript(text.value()) || isMeantAsJobConfig(text.value()));
}

Result<Inference> inferByScript(const std::filesystem::path& file, const Presets& presets)
{
    const Result<std::string> text = readFile(file, largest_scenario_bytes);
    if (!text)
        return text.error();
    Result<ScenarioReading> reading = readScenarioFile(file, presets);
    if (!reading)
        return reading.error();
    Inference inference;
    inference.from =
        reading.value().source == ScenarioSource::launch_script ? InferredFrom::script : InferredFrom::job;
    inference.scenario = reading.value().scenario;
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    for (ArgumentFigure& figure : figuresOf(text.value(), reading.value(), folder, presets))
        inference.findings.push_back({std::move(figure.key), std::move(figure.value), confidence::certain,
                                      std::move(figure.evidence)});
    inference.findings.push_back(clusterOf(reading.value()));
    inference.notes = std::move(reading.value().warnings);
    if (const auto problems = validate(inference.scenario); !problems.empty())
        inference.notes.push_back("It cannot be predicted as it is: " + problems.front().sentence);
    return inference;
}

} // namespace shardscope

#include "bench/accuracy/unseen_steps.h"

#include "bench/accuracy/residuals.h"

#include "core/prediction/predict.h"
#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr const char* introduction =
    "\n## Never fitted\n\nNothing was fitted to these steps; their sources tell the whole "
    "configuration (`bench/accuracy/unseen_steps.json`). KempnerForge reduces gradients once a step "
    "(`reduce_each_micro_batch` is off), InternEvo shares parameters out after it (`overlap_sync_param`, "
    "here "
    "`param_overlap`, is off). Megatron-Bridge's recipes hold experts whole on each tensor rank, send tokens "
    "by DeepEP or HybridEP but for H100 and B200, and hide them there with Qwen3 235B (`ep_overlap`); those "
    "of "
    "DeepSeek-V3 compute latent attention's projections up again, for H100 the dense layers' MLPs too, those "
    "of gpt-oss but for GB300 norms and activation functions (`recompute_modules`); Nemotron-H's first and "
    "last layers are in 16 bits, and Nemotron 3's graphs leave out parts. What a scenario cannot "
    "say: KempnerForge compiles its layers; InternEvo slows down with the number of GPUs, which its authors "
    "mend by sharing states within a node; gpt-oss's attention has sinks; other containers of "
    "Megatron-Bridge "
    "run the same Qwen3 30B in 29 s that took 51 s (above). The H200's constants are the H100's, the GB300's "
    "share of the peak was chosen with steps of its kind in view.\n";

Result<UnseenStep> readStep(const json& entry, const Presets& presets)
{
    UnseenStep step;
    step.id = entry.at("id");
    step.source = entry.at("source");
    step.where = entry.at("where");
    step.measured_s = entry.at("measured_s");
    json scenario = entry.at("scenario");
    scenario["name"] = step.id;
    step.scenario_text = scenario.dump();
    Result<ScenarioReading> reading = readScenario(step.scenario_text, presets);
    if (!reading)
        return Error{step.id + ": " + reading.error().sentence};
    step.scenario = std::move(reading).value().scenario;
    Result<Prediction> prediction = predict(step.scenario);
    if (!prediction)
        return Error{step.id + ": " + prediction.error().sentence};
    step.prediction = std::move(prediction).value();
    return step;
}

std::string row(const UnseenStep& step)
{
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), "| %s | %s | %lld | %.4g s | %+.1f %% |\n", step.id.c_str(),
                  step.scenario.cluster.gpu.c_str(), static_cast<long long>(step.prediction.world_size),
                  step.measured_s, 100.0 * step.error());
    return text.data();
}

std::string summary(const std::string& name, const std::vector<double>& errors)
{
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), "| %s | %zu | %.1f %% | %+.1f %% |\n", name.c_str(),
                  errors.size(), 100.0 * meanSize(errors), 100.0 * meanOf(errors));
    return text.data();
}

} // namespace

Result<std::vector<UnseenStep>> readUnseenSteps(const std::filesystem::path& file, const Presets& presets)
{
    std::vector<UnseenStep> steps;
    std::ifstream stream{file};
    try {
        for (const json& entry : json::parse(stream)) {
            Result<UnseenStep> step = readStep(entry, presets);
            if (!step)
                return step.error();
            steps.push_back(std::move(step).value());
        }
    } catch (const json::exception& problem) {
        return Error{file.string() + ": cannot be read as a list of steps (" + problem.what()
                     + "); give a JSON file of published measurements"};
    }
    return steps;
}

std::string unseenSection(const std::vector<UnseenStep>& steps)
{
    std::string rows;
    std::vector<std::string> sources;
    std::map<std::string, std::vector<double>> by_source;
    std::vector<double> all;
    for (const UnseenStep& step : steps) {
        rows += row(step);
        if (by_source[step.source].empty())
            sources.push_back(step.source);
        by_source[step.source].push_back(step.error());
        all.push_back(step.error());
    }
    std::string text = introduction;
    text += "\n| source | cases | mean size | bias |\n| --- | ---: | ---: | ---: |\n";
    for (const std::string& source : sources)
        text += summary(source, by_source[source]);
    text += summary("**all**", all);
    return text + "\n| case | GPU | GPUs | measured | error |\n| --- | --- | ---: | ---: | ---: |\n" + rows;
}

} // namespace shardscope

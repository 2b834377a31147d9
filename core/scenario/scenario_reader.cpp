#include "core/base/file.h"
#include "core/scenario/deepspeed/config_text.h"
#include "core/scenario/deepspeed/deepspeed_scenario.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/defaults.h"
#include "core/scenario/hugging_face/hugging_face_config.h"
#include "core/scenario/json_text.h"
#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/megatron/launched_run.h"
#include "core/scenario/object_reader.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/scenario_settings.h"
#include "core/scenario/section_reader.h"
#include "core/scenario/torchtitan/job_text.h"
#include "core/scenario/unread_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::int64_t known_version = 1;

void readVersion(ObjectReader& reader)
{
    std::int64_t version = known_version;
    reader("shardscope", version);
    if (version != known_version)
        reader.fail("shardscope", "is " + std::to_string(version)
                                      + "; this program reads version 1 of the scenario format");
}

// The keys of its section, and what follows from them where others are left out.
void readTraining(ObjectReader& training, Framework framework, Scenario& scenario)
{
    Fields<Training>::visit(training, scenario.training);
    if (!training.has("gradient_bytes"))
        scenario.training.gradient_bytes = defaultGradientBytes(framework, scenario.training.precision);
    if (!training.has("master_bytes"))
        scenario.training.master_bytes = defaultMasterBytes(scenario.training.precision);
    if (!training.has("flash_attention"))
        scenario.training.flash_attention = defaultFlashAttention(scenario.model);
    training.refuseUnknownKeys();
}

void readParallel(ObjectReader& parallel, Framework framework, Scenario& scenario)
{
    scenario.parallel.zero_stage = defaultZeroStage(framework);
    scenario.parallel.context_method = defaultContextMethod(framework);
    Fields<Parallel>::visit(parallel, scenario.parallel);
    if (!parallel.has("schedule"))
        scenario.parallel.schedule = defaultSchedule(scenario.parallel.virtual_stages);
    if (!parallel.has("virtual_stages"))
        scenario.parallel.virtual_stages = defaultVirtualStages(scenario.parallel.schedule);
    parallel.refuseUnknownKeys();
}

// The sections that depend on one another: what the framework sets follows from all three.
void readRun(ObjectReader& file, Scenario& scenario, std::string& failure)
{
    static const json nothing = json::object();
    const auto section = [&](std::string_view key) -> const json& {
        const json* object = file.section(key);
        return object == nullptr ? nothing : *object;
    };
    ObjectReader training{section("training"), "training", failure};
    ObjectReader parallel{section("parallel"), "parallel", failure};
    ObjectReader conventions{section("conventions"), "conventions", failure};

    Framework framework = Framework::megatron;
    conventions("framework", framework);

    readTraining(training, framework, scenario);
    readParallel(parallel, framework, scenario);
    if (!training.has("global_batch_size"))
        scenario.training.global_batch_size =
            defaultGlobalBatchSize(scenario.training.micro_batch_size, scenario.parallel.data);

    scenario.conventions =
        defaultConventions(framework, scenario.model, scenario.training, scenario.parallel);
    if (conventions.has("dp_overlap")) {
        bool overlap = false;
        conventions("dp_overlap", overlap);
        scenario.conventions =
            defaultConventions(framework, scenario.model, scenario.training, scenario.parallel, overlap);
    }
    Fields<Conventions>::visit(conventions, scenario.conventions);
    conventions.refuseUnknownKeys();
}

// Figures that the scenario's time model does not ask for are assumed without a word.
void warnOf(const std::vector<ClusterAssumption>& assumptions, ScenarioReading& reading)
{
    for (const ClusterAssumption& one : assumptions)
        if (one.key != "mu" || reading.scenario.time_model == TimeModel::li) // mu is of its formula alone
            reading.warnings.push_back(one.sentence);
}

// The section, or the default cluster where there is none.
void takeCluster(const json* section, const Presets& presets, ScenarioReading& reading, std::string& failure)
{
    std::vector<ClusterAssumption> assumptions;
    reading.scenario.cluster =
        readCluster(section != nullptr ? *section : json::object(), "cluster", presets, assumptions, failure);
    warnOf(assumptions, reading);
}

Result<ScenarioReading> scenarioOfModelConfig(const json& root, const Presets& presets)
{
    auto config = readHuggingFaceConfig(root);
    if (!config)
        return config.error();
    ScenarioReading reading;
    reading.source = ScenarioSource::model_config;
    reading.warnings = std::move(config.value().warnings);
    Scenario& scenario = reading.scenario;
    scenario.name = config.value().name;
    scenario.model = config.value().model;
    scenario.training.precision = config.value().precision;
    scenario.training.gradient_bytes = defaultGradientBytes(Framework::megatron, scenario.training.precision);
    scenario.training.master_bytes = defaultMasterBytes(scenario.training.precision);
    scenario.training.flash_attention = defaultFlashAttention(scenario.model);
    std::string failure; // nothing is asked of the cluster
    takeCluster(nullptr, presets, reading, failure);
    reading.assumed_cluster = default_cluster;
    return reading;
}

// As clusterComment() writes it: a preset's name, or all figures.
Result<ClusterReading> clusterOfComment(const std::string& text, const Presets& presets)
{
    if (text.starts_with('{'))
        return readCluster(text, presets);
    if (const ClusterPreset* preset = presets.cluster(text))
        return ClusterReading{preset->cluster, {}};
    return Error{"no preset has this name"};
}

// The cluster that a comment of the script names; else that of the base; else the default, which is told.
void takeClusterOfScript(std::string_view text, const Presets& presets, const Scenario* base,
                         ScenarioReading& reading)
{
    const std::string named = clusterOfScript(text);
    const auto cluster = clusterOfComment(named, presets);
    if (cluster) {
        reading.scenario.cluster = cluster.value().cluster;
        warnOf(cluster.value().assumptions, reading);
        return;
    }
    if (!named.empty())
        reading.warnings.push_back("A comment names the cluster " + excerpt(json(named))
                                   + ", which is not taken: " + cluster.error().sentence + '.');
    if (base == nullptr)
        reading.assumed_cluster = default_cluster;
}

// What a run is read into whose file says on which cluster it is in a comment alone.
ScenarioReading readingBeforeRun(ScenarioSource source, std::string_view text, const Presets& presets,
                                 const Scenario* base)
{
    ScenarioReading reading;
    reading.source = source;
    std::string failure;
    if (base != nullptr)
        reading.scenario = *base;
    else
        takeCluster(nullptr, presets, reading, failure);
    takeClusterOfScript(text, presets, base, reading);
    return reading;
}

Result<ScenarioReading> scenarioOfLaunchScript(std::string_view text, const Presets& presets,
                                               const Scenario* base, const std::filesystem::path& folder)
{
    ScenarioReading reading = readingBeforeRun(ScenarioSource::launch_script, text, presets, base);
    Result<MegatronRun> run = launchedRun(text, reading.scenario, folder);
    if (!run)
        return run.error();
    reading.scenario = std::move(run.value().scenario);
    reading.batch_is_of_replica = run.value().batch_is_of_replica;
    if (const ModelPreset* preset = matchingPreset(reading.scenario.model, presets))
        reading.scenario.model.preset = preset->name;
    std::ranges::move(run.value().notes, std::back_inserter(reading.warnings));
    return reading;
}

Result<ScenarioReading> scenarioOfJobConfig(std::string_view text, const Presets& presets,
                                            const Scenario* base)
{
    ScenarioReading reading = readingBeforeRun(ScenarioSource::torchtitan_config, text, presets, base);
    Result<TorchtitanRun> run = runOfJobConfig(text, presets, reading.scenario);
    if (!run)
        return run.error();
    reading.scenario = std::move(run.value().scenario);
    reading.batch_is_of_replica = run.value().batch_is_of_replica;
    std::ranges::move(run.value().notes, std::back_inserter(reading.warnings));
    return reading;
}

// Without a base the default scenario, as readScenario of an empty object gives it.
Result<ScenarioReading> scenarioOfDeepSpeedConfig(const json& root, const Presets& presets,
                                                  const Scenario* base)
{
    ScenarioReading reading;
    if (base != nullptr) {
        reading.scenario = *base;
    } else if (auto usual = readScenario("{}", presets)) {
        reading = std::move(usual).value();
        reading.assumed_cluster = default_cluster;
    }
    reading.source = ScenarioSource::deepspeed_config;
    DeepSpeedSettings settings = readDeepSpeedSettings(root);
    std::ranges::move(settings.notes, std::back_inserter(reading.warnings));
    reading.scenario = withDeepSpeed(reading.scenario, settings, reading.warnings);
    reading.batch_is_of_replica = !settings.train_batch && (settings.micro_batch || settings.accumulation);
    return reading;
}

// Of all that a scenario is read from DeepSpeed's configurations alone may have comments.
Result<json> parsedScenario(std::string_view text)
{
    auto parsed = parseJson(text);
    if (parsed || text.size() > largest_scenario_bytes)
        return parsed;
    auto config = parseJson(jsonOfConfig(text));
    return config && isDeepSpeedConfig(config.value()) ? config : parsed;
}

// Or is blank, of which its reader says so.
bool beginsAsJson(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos
           || std::string_view{"{[\"-0123456789"}.find(text[first]) != std::string_view::npos;
}

} // namespace

void replaceCluster(ScenarioReading& reading, const ClusterReading& cluster)
{
    // Those of a cluster begin with its key.
    std::erase_if(reading.warnings, [](const std::string& one) { return one.starts_with("cluster."); });
    reading.scenario.cluster = cluster.cluster;
    reading.assumed_cluster.clear();
    warnOf(cluster.assumptions, reading);
}

bool looksLikeScenario(std::string_view text)
{
    if (looksLikeLaunchScript(text) || isMeantAsJobConfig(text) || isUnreadConfiguration(text))
        return true;
    const auto parsed = parsedScenario(text);
    if (parsed && !parsed.value().is_object())
        return false;
    // With a slip somewhere it is a scenario still, whose reader tells where the slip is.
    const std::vector<std::string> before_fault = parsed ? std::vector<std::string>{} : keysBeforeFault(text);
    const auto has = [&](const char* key) {
        return parsed ? parsed.value().contains(key)
                      : std::ranges::find(before_fault, key) != before_fault.end();
    };
    const bool is_trace = std::ranges::any_of(
        std::array{"traceEvents", "files", "ranks", "entries", "workload_graph", "nodes"}, has);
    const bool has_section = std::ranges::any_of(
        std::array{"shardscope", "model", "training", "parallel", "conventions", "cluster", "time_model"},
        has);
    if (is_trace || has_section || !parsed)
        return has_section && !is_trace;
    return isHuggingFaceConfig(parsed.value()) || isDeepSpeedConfig(parsed.value());
}

Result<ScenarioReading> readScenario(std::string_view text, const Presets& presets, const Scenario* base,
                                     const std::filesystem::path& folder)
{
    constexpr std::string_view gzip_begins = "\x1f\x8b";
    constexpr std::string_view zstd_begins = "\x28\xb5\x2f\xfd";
    if (text.starts_with(gzip_begins) || text.starts_with(zstd_begins))
        return Error{"this is a compressed file, perhaps a trace; a scenario is needed here, and traces come "
                     "after it"};
    if (isMeantAsLaunchScript(text))
        return scenarioOfLaunchScript(text, presets, base, folder);
    if (isMeantAsJobConfig(text))
        return scenarioOfJobConfig(text, presets, base);
    const auto parsed = parsedScenario(text);
    if (!parsed)
        return beginsAsJson(text) && !isUnreadConfiguration(text) ? parsed.error() : noScenarioIn(text);
    const json& root = parsed.value();
    if (root.is_object() && root.contains("traceEvents"))
        return Error{"this is a trace; a scenario is needed here, and traces come after it"};
    if (!root.is_object())
        return Error{"a scenario is a JSON object with keys like \"model\" and \"parallel\", not "
                     + excerpt(root)};

    if (isHuggingFaceConfig(root))
        return scenarioOfModelConfig(root, presets);
    if (isDeepSpeedConfig(root))
        return scenarioOfDeepSpeedConfig(root, presets, base);
    ScenarioReading reading;
    Scenario& scenario = reading.scenario;
    std::string failure;
    ObjectReader file{root, "", failure};
    readVersion(file);
    file("name", scenario.name);
    file("time_model", scenario.time_model);
    if (const json* model = file.section("model"))
        scenario.model = readModel(*model, "model", presets, failure);
    readRun(file, scenario, failure);
    takeCluster(file.section("cluster"), presets, reading, failure);
    file.refuseUnknownKeys();
    if (!failure.empty())
        return Error{failure};
    return reading;
}

Result<ScenarioReading> readScenarioFile(const std::filesystem::path& file, const Presets& presets,
                                         const Scenario* base, const ScenarioSettings* settings)
{
    const auto text = readFile(file, largest_scenario_bytes);
    if (!text)
        return text.error();
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    auto reading = readScenario(settings != nullptr ? settings->inText(text.value()) : text.value(), presets,
                                base, folder);
    if (reading && isOfRun(reading.value().source))
        reading.value().scenario.name = file.stem().string();
    return reading;
}

} // namespace shardscope

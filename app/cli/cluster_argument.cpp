#include "app/cli/cluster_argument.h"

#include "app/cli/whole_key.h"
#include "core/base/file.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/own_presets.h"
#include "core/scenario/validation/validation.h"

#include <filesystem>
#include <utility>

namespace shardscope
{

namespace
{

Error unknownCluster(const std::string& name, const Presets& presets)
{
    if (const std::filesystem::path path{name}; path.has_extension() || path.has_parent_path())
        return {name + ": there is no such file; give one that is there, or a cluster that presets lists"};
    std::vector<std::string> names;
    for (const ClusterPreset& preset : presets.clusters())
        names.push_back(preset.name);
    return {name + ": there is no such file and no cluster of this name; the nearest one is "
            + nearestMachine(name, names)};
}

// A scenario says as a whole what was assumed, not key by key.
ClusterReading clusterOf(ScenarioReading reading)
{
    ClusterReading cluster{reading.scenario.cluster, {}};
    for (std::string& warning : reading.warnings)
        cluster.assumptions.push_back({{}, std::move(warning)});
    return cluster;
}

// The cluster's own figures, whatever is trained on it.
Result<ClusterReading> checked(ClusterReading reading, const std::string& name)
{
    Scenario scenario;
    scenario.cluster = reading.cluster;
    if (const std::vector<Problem> problems = validate(scenario); !problems.empty())
        return Error{name + ": " + withWholeKey(problems.front().sentence, scenario)};
    return reading;
}

Result<ClusterReading> readClusterFile(const std::string& name, const Presets& presets)
{
    const auto text = readFile(name, largest_scenario_bytes);
    if (!text)
        return Error{name + ": " + text.error().sentence};
    const ClusterForm form = clusterFormOf(text.value());
    if (form == ClusterForm::preset) {
        const auto preset = readClusterPreset(name, presets);
        return preset ? checked(readCluster(preset.value()), name)
                      : Error{name + ": " + preset.error().sentence};
    }
    auto cluster = readCluster(text.value(), presets);
    if (cluster)
        return checked(std::move(cluster).value(), name);
    auto scenario = readScenario(text.value(), presets);
    if (scenario)
        return checked(clusterOf(std::move(scenario).value()), name);
    const Error& why = form == ClusterForm::scenario ? scenario.error() : cluster.error();
    return Error{name + ": " + why.sentence};
}

} // namespace

Result<ClusterReading> clusterArgument(const std::string& name)
{
    const auto presets = loadPresets();
    if (!presets)
        return presets.error();
    if (const ClusterPreset* preset = presets.value().cluster(name))
        return readCluster(R"({"preset": ")" + preset->name + "\"}", presets.value());
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored))
        return unknownCluster(name, presets.value());
    return readClusterFile(name, presets.value());
}

} // namespace shardscope

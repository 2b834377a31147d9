#include "app/cli/scenario_changes.h"

#include "app/cli/cluster_argument.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

void warnOfAssumedCluster(ScenarioReading& reading)
{
    if (reading.assumed_cluster.empty())
        return;
    std::vector<std::string>& warnings = reading.warnings;
    warnings.push_back("The file does not say on which machines it runs: " + reading.assumed_cluster
                       + " is assumed; --cluster takes another.");
    std::rotate(warnings.begin(), warnings.end() - 1, warnings.end()); // before all others
}

} // namespace

Result<ScenarioChanges> ScenarioChanges::of(const Arguments& arguments)
{
    ScenarioChanges changes;
    if (arguments.has("--cluster")) {
        Result<ClusterReading> cluster = clusterArgument(arguments.valueOf("--cluster"));
        if (!cluster)
            return Error{"--cluster: " + cluster.error().sentence};
        changes.m_cluster = std::move(cluster).value();
    }
    if (arguments.has("--set")) {
        Result<ScenarioSettings> settings = ScenarioSettings::parse(arguments.valueOf("--set"));
        if (!settings)
            return Error{"--set: " + settings.error().sentence};
        changes.m_settings = std::move(settings).value();
    }
    return changes;
}

Result<ScenarioReading> ScenarioChanges::read(const std::filesystem::path& file, const Presets& presets) const
{
    return readScenarioFile(file, presets, nullptr, &m_settings);
}

Result<ScenarioReading> ScenarioChanges::readText(std::string_view text, const Presets& presets,
                                                  const std::filesystem::path& folder) const
{
    return readScenario(m_settings.putInto(text), presets, nullptr, folder);
}

Result<bool> ScenarioChanges::settle(ScenarioReading& reading, const Presets& presets) const
{
    if (m_cluster)
        replaceCluster(reading, *m_cluster);
    else
        warnOfAssumedCluster(reading);
    const Result<bool> set = m_settings.putInto(reading, presets, m_cluster.has_value());
    return set ? set : Error{"--set: " + set.error().sentence};
}

} // namespace shardscope

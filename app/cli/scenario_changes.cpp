#include "app/cli/scenario_changes.h"

#include "app/cli/cluster_argument.h"
#include "core/base/file.h"

#include <algorithm>
#include <iterator>
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
    if (arguments.has("--deepspeed")) {
        changes.m_deepspeed_file = arguments.valueOf("--deepspeed");
        Result<std::string> text = readFile(changes.m_deepspeed_file, largest_scenario_bytes);
        if (!text)
            return Error{"--deepspeed: " + changes.m_deepspeed_file + ": " + text.error().sentence};
        changes.m_deepspeed = std::move(text).value();
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
    return onSetRun(presets,
                    [&](const Scenario* base) { return readScenarioFile(file, presets, base, &m_settings); });
}

Result<ScenarioReading> ScenarioChanges::readText(std::string_view text, const Presets& presets,
                                                  const std::filesystem::path& folder) const
{
    return onSetRun(presets, [&](const Scenario* base) {
        return readScenario(m_settings.inText(text), presets, base, folder);
    });
}

// A configuration of DeepSpeed by itself is laid over the usual run, of which figures are set before: it
// works out its batch from the replicas.
Result<ScenarioReading>
ScenarioChanges::onSetRun(const Presets& presets,
                          const std::function<Result<ScenarioReading>(const Scenario*)>& read) const
{
    Result<ScenarioReading> reading = read(nullptr);
    if (!reading || reading.value().source != ScenarioSource::deepspeed_config || m_settings.isEmpty())
        return reading;
    const Result<ScenarioReading> run = readScenario(m_settings.inText("{}"), presets);
    if (!run)
        return run.error();
    Result<ScenarioReading> again = read(&run.value().scenario);
    if (again)
        again.value().assumed_cluster = reading.value().assumed_cluster;
    return again;
}

// Batches follow from the number of replicas, which is set before; and a figure that is set has the last
// word.
Result<bool> ScenarioChanges::settle(ScenarioReading& reading, const Presets& presets) const
{
    if (m_cluster)
        replaceCluster(reading, *m_cluster);
    else
        warnOfAssumedCluster(reading);
    Result<bool> done = set(reading, presets, m_cluster ? Replaced::cluster : Replaced::nothing);
    if (!done || m_deepspeed_file.empty())
        return done;
    done = layDeepSpeedOver(reading, presets);
    return done ? set(reading, presets, Replaced::figures) : done;
}

Result<bool> ScenarioChanges::layDeepSpeedOver(ScenarioReading& reading, const Presets& presets) const
{
    Result<ScenarioReading> trained = readScenario(m_deepspeed, presets, &reading.scenario);
    if (!trained)
        return Error{"--deepspeed: " + m_deepspeed_file + ": " + trained.error().sentence};
    if (trained.value().source != ScenarioSource::deepspeed_config)
        return Error{"--deepspeed: " + m_deepspeed_file
                     + ": this is no configuration of DeepSpeed; give a ds_config.json"};
    reading.scenario = std::move(trained.value().scenario);
    reading.batch_is_of_replica = trained.value().batch_is_of_replica;
    std::ranges::move(trained.value().warnings, std::back_inserter(reading.warnings));
    return true;
}

Result<bool> ScenarioChanges::set(ScenarioReading& reading, const Presets& presets, Replaced replaced) const
{
    const Result<bool> done = m_settings.applyTo(reading, presets, replaced);
    if (done)
        return done;
    const std::string& sentence = done.error().sentence;
    return Error{"--set: " + sentence
                 + (sentence.starts_with("cluster.") ? "; --cluster takes another cluster" : "")};
}

} // namespace shardscope

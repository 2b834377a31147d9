#include "app/cli/trace_arguments.h"

#include "core/scenario/own_presets.h"
#include "core/scenario/scenario_json.h"

namespace shardscope
{

Result<ClassificationRules> rulesOf(const Arguments& arguments)
{
    if (!arguments.has("--rules"))
        return ClassificationRules::shipped();
    return ClassificationRules::load(arguments.valueOf("--rules"));
}

std::vector<std::filesystem::path> pathsOf(std::span<const std::string> words)
{
    return {words.begin(), words.end()};
}

Result<Scenario> scenarioOf(const std::filesystem::path& file)
{
    const Result<Presets> presets = loadPresets();
    if (!presets)
        return presets.error();
    const Result<ScenarioReading> reading = readScenarioFile(file, presets.value());
    if (!reading)
        return Error{file.string() + ": " + reading.error().sentence};
    return reading.value().scenario;
}

} // namespace shardscope

#include "app/cli/trace_arguments.h"

#include "core/base/resources.h"
#include "core/scenario/presets.h"

namespace shardscope
{

Result<TraceArguments> parseTraceArguments(std::span<const std::string> arguments, const std::string& usage)
{
    TraceArguments parsed;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--json") {
            parsed.json = true;
        } else if (argument == "--scenario" || argument == "--rules") {
            if (++i == arguments.size())
                return Error{argument + " needs a file; usage: " + usage};
            (argument == "--rules" ? parsed.rules : parsed.scenario) = arguments[i];
        } else if (argument.starts_with("--")) {
            return Error{"there is no option " + argument + "; usage: " + usage};
        } else {
            parsed.paths.emplace_back(argument);
        }
    }
    return parsed;
}

Result<ClassificationRules> rulesOf(const TraceArguments& arguments)
{
    if (arguments.rules.empty())
        return ClassificationRules::shipped();
    return ClassificationRules::load(arguments.rules);
}

Result<Scenario> scenarioOf(const std::filesystem::path& file)
{
    const Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    if (!presets)
        return presets.error();
    const Result<ScenarioReading> reading = readScenarioFile(file, presets.value());
    if (!reading)
        return reading.error();
    return reading.value().scenario;
}

} // namespace shardscope

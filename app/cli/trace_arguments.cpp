#include "app/cli/trace_arguments.h"

#include "app/cli/arguments.h"
#include "core/base/resources.h"
#include "core/scenario/scenario_json.h"

#include <array>

namespace shardscope
{

Result<TraceArguments> parseTraceArguments(std::string_view command, std::span<const std::string> arguments)
{
    static constexpr std::array of_trace{Option{"--json"}, Option{"--kernels"}, Option{"--rules", true},
                                         Option{"--scenario", true}};
    static constexpr std::array of_compare{Option{"--json"}, Option{"--rules", true}};
    const bool compares = command == "compare";
    const auto known = compares ? std::span<const Option>{of_compare} : std::span<const Option>{of_trace};
    const Result<Arguments> given = parseArguments(arguments, known);
    if (!given)
        return given.error();
    const Arguments& wanted = given.value();
    const auto valueOf = [&](std::string_view option) {
        const auto found = wanted.options.find(option);
        return found == wanted.options.end() ? std::string{} : found->second;
    };
    TraceArguments parsed;
    parsed.paths.assign(wanted.paths.begin(), wanted.paths.end());
    parsed.scenario = valueOf("--scenario");
    parsed.rules = valueOf("--rules");
    parsed.json = wanted.has("--json");
    parsed.kernels = wanted.has("--kernels");
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
        return Error{file.string() + ": " + reading.error().sentence};
    return reading.value().scenario;
}

} // namespace shardscope

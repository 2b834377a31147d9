#include "app/cli/presets_command.h"

#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "core/base/resources.h"
#include "core/report/presets_report.h"

#include <array>
#include <cstdio>

namespace shardscope
{

namespace
{

constexpr std::array options{Option{"--json"}};

} // namespace

int presetsCommand(std::span<const std::string> arguments)
{
    const auto parsed = parseArguments(arguments, options);
    if (!parsed)
        return fail(exit_wrong_usage, "presets: " + parsed.error().sentence);
    if (!parsed.value().paths.empty())
        return fail(exit_wrong_usage, "presets takes no file; usage: " + usageOf(*commandNamed("presets")));
    const auto presets = Presets::load(resourcesFolder() / "presets");
    if (!presets)
        return fail(exit_bad_input, presets.error().sentence);
    for (const std::string& problem : presets.value().problems())
        warn(problem);
    const std::string answer =
        parsed.value().has("--json") ? presetsJson(presets.value()) + "\n" : presetsText(presets.value());
    return print(answer);
}

} // namespace shardscope

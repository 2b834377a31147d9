#include "app/cli/presets_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "core/report/presets_report.h"
#include "core/scenario/own_presets.h"

namespace shardscope
{

int presetsCommand(const Arguments& arguments)
{
    if (!arguments.paths.empty())
        return fail(exit_wrong_usage, "presets takes no file; usage: " + usageOf(*commandNamed("presets")));
    const auto presets = loadPresets();
    if (!presets)
        return fail(exit_bad_input, presets.error().sentence);
    for (const std::string& problem : presets.value().problems())
        warn(problem);
    const std::string answer =
        arguments.has("--json") ? presetsJson(presets.value()) + "\n" : presetsText(presets.value());
    return print(answer);
}

} // namespace shardscope

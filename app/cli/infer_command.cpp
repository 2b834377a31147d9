#include "app/cli/infer_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/base/resources.h"
#include "core/inference/infer.h"
#include "core/report/inference_report.h"
#include "core/scenario/scenario_json.h"

namespace shardscope
{

int inferCommand(const Arguments& arguments)
{
    if (arguments.paths.empty())
        return fail(exit_wrong_usage, "infer needs traces; usage: " + usageOf(*commandNamed("infer")));
    const Result<ClassificationRules> rules = rulesOf(arguments);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    const Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    if (!presets)
        return fail(exit_bad_input, presets.error().sentence);
    const Result<TraceSet> traces = tracesOf(arguments, arguments.paths, rules.value());
    if (!traces)
        return fail(exit_bad_input, traces.error().sentence);
    const Result<Inference> inference = inferScenario(traces.value(), rules.value(), presets.value());
    if (!inference)
        return fail(exit_bad_input, arguments.paths.front() + ": " + inference.error().sentence);
    if (arguments.has("-o"))
        if (const auto saved = saveScenarioFile(arguments.valueOf("-o"), inference.value().scenario); !saved)
            return fail(exit_bad_input, saved.error().sentence);
    return print(arguments.has("--json") ? inferenceJson(inference.value()) + '\n'
                                         : inferenceText(inference.value()));
}

} // namespace shardscope

#include "app/cli/infer_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/base/resources.h"
#include "core/inference/infer.h"
#include "core/inference/script_inference.h"
#include "core/report/inference_report.h"
#include "core/scenario/own_presets.h"
#include "core/scenario/scenario_json.h"

namespace shardscope
{

namespace
{

// Of a script or a job alone nothing was recorded: its scenario is the one that `predict` reads.
Result<Inference> inferenceOfScript(const std::filesystem::path& file)
{
    const Result<Presets> presets = loadPresets();
    if (!presets)
        return presets.error();
    Result<Inference> inference = inferByScript(file, presets.value());
    if (!inference)
        return Error{file.string() + ": " + inference.error().sentence};
    return inference;
}

Result<Inference> inferenceOfTraces(const Arguments& arguments)
{
    const Result<ClassificationRules> rules = rulesOf(arguments);
    if (!rules)
        return rules.error();
    const Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    if (!presets)
        return presets.error();
    const Result<TraceSet> traces = tracesOf(arguments, arguments.paths, rules.value());
    if (!traces)
        return traces.error();
    Result<Inference> inference = inferScenario(traces.value(), rules.value(), presets.value());
    if (!inference)
        return Error{arguments.paths.front() + ": " + inference.error().sentence};
    return inference;
}

} // namespace

int inferCommand(const Arguments& arguments)
{
    if (arguments.paths.empty())
        return fail(exit_wrong_usage, "infer needs traces; usage: " + usageOf(*commandNamed("infer")));
    const bool is_script = arguments.paths.size() == 1 && startsRun(arguments.paths.front());
    const Result<Inference> inference =
        is_script ? inferenceOfScript(arguments.paths.front()) : inferenceOfTraces(arguments);
    if (!inference)
        return fail(exit_bad_input, inference.error().sentence);
    if (arguments.has("-o"))
        if (const auto saved = saveScenarioFile(arguments.valueOf("-o"), inference.value().scenario); !saved)
            return fail(exit_bad_input, saved.error().sentence);
    return print(arguments.has("--json") ? inferenceJson(inference.value()) + '\n'
                                         : inferenceText(inference.value()));
}

} // namespace shardscope

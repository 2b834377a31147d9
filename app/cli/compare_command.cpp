#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/standard_input.h"
#include "app/cli/step_argument.h"
#include "app/cli/trace_arguments.h"
#include "app/cli/whole_key.h"
#include "core/analysis/analyze.h"
#include "core/analysis/comparison.h"
#include "core/prediction/predict.h"
#include "core/report/trace_report.h"

namespace shardscope
{

int compareCommand(const Arguments& arguments)
{
    if (arguments.paths.size() < 2)
        return fail(exit_wrong_usage,
                    "compare needs a scenario, then traces; usage: " + usageOf(*commandNamed("compare")));

    const std::string& scenario_file = arguments.paths.front();
    const Result<Scenario> scenario = scenarioOf(scenario_file, arguments);
    if (!scenario)
        return fail(exit_bad_input, scenario.error().sentence);
    const Result<Prediction> prediction = predict(scenario.value());
    if (!prediction)
        return fail(exit_bad_input, inputName(scenario_file) + ": "
                                        + withWholeKey(prediction.error().sentence, scenario.value()));
    const Result<ClassificationRules> rules = rulesOf(arguments);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    AnalysisOptions options;
    options.rules = &rules.value();
    options.layout = &scenario.value();
    const Result<std::optional<std::int64_t>> step = parseStep(arguments.valueOf("--step"));
    if (!step)
        return fail(exit_wrong_usage, "compare: --step: " + step.error().sentence);
    options.step = step.value();

    const Result<TraceSet> traces = tracesOf(arguments, std::span{arguments.paths}.subspan(1), rules.value());
    if (!traces)
        return fail(exit_bad_input, traces.error().sentence);
    if (const auto error = missingStep(traces.value(), options.step))
        return fail(exit_bad_input, "compare: --step: " + error->sentence);
    const Measurement measurement = analyze(traces.value(), options);
    Comparison comparison = compare(scenario.value(), prediction.value(), traces.value(), measurement);
    comparison.notes.insert(comparison.notes.end(), measurement.notes.begin(), measurement.notes.end());
    return print(arguments.has("--json") ? comparisonJson(comparison) + '\n' : comparisonText(comparison));
}

} // namespace shardscope

#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/analyze.h"
#include "core/analysis/comparison.h"
#include "core/import/importer.h"
#include "core/prediction/prediction.h"
#include "core/report/trace_report.h"

#include <cstdio>

namespace shardscope
{

int compareCommand(std::span<const std::string> arguments)
{
    const Result<TraceArguments> given = parseTraceArguments("compare", arguments);
    if (!given)
        return fail(exit_wrong_usage, given.error().sentence);
    const TraceArguments& wanted = given.value();
    if (wanted.paths.size() < 2)
        return fail(exit_wrong_usage,
                    "compare needs a scenario, then traces; usage: " + usageOf(*commandNamed("compare")));

    const std::filesystem::path& scenario_file = wanted.paths.front();
    const Result<Scenario> scenario = scenarioOf(scenario_file);
    if (!scenario)
        return fail(exit_bad_input, scenario.error().sentence);
    const Result<Prediction> prediction = predict(scenario.value());
    if (!prediction)
        return fail(exit_bad_input, scenario_file.string() + ": " + prediction.error().sentence);
    AnalysisOptions options;
    const Result<ClassificationRules> rules = rulesOf(wanted);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    options.rules = rules.value();
    options.layout = &scenario.value();

    const Result<TraceSet> traces = importTraces(std::span{wanted.paths}.subspan(1));
    if (!traces)
        return fail(exit_bad_input, traces.error().sentence);
    const Measurement measurement = analyze(traces.value(), options);
    const Comparison comparison = compare(scenario.value(), prediction.value(), traces.value(), measurement);
    const std::string answer = wanted.json ? comparisonJson(comparison) + '\n' : comparisonText(comparison);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    return exit_done;
}

} // namespace shardscope

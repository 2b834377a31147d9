#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/analyze.h"
#include "core/import/importer.h"
#include "core/report/trace_report.h"

#include <cstdio>
#include <optional>

namespace shardscope
{

int traceCommand(std::span<const std::string> arguments)
{
    const Result<TraceArguments> given = parseTraceArguments("trace", arguments);
    if (!given)
        return fail(exit_wrong_usage, given.error().sentence);
    const TraceArguments& wanted = given.value();
    if (wanted.paths.empty())
        return fail(exit_wrong_usage, "no trace is named; usage: " + usageOf(*commandNamed("trace")));

    AnalysisOptions options;
    const Result<ClassificationRules> rules = rulesOf(wanted);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    options.rules = rules.value();
    std::optional<Scenario> layout;
    if (!wanted.scenario.empty()) {
        const Result<Scenario> scenario = scenarioOf(wanted.scenario);
        if (!scenario)
            return fail(exit_bad_input, scenario.error().sentence);
        layout = scenario.value();
        options.layout = &*layout;
    }

    const Result<TraceSet> traces = importTraces(wanted.paths);
    if (!traces)
        return fail(exit_bad_input, traces.error().sentence);
    const Measurement measurement = analyze(traces.value(), options);
    const TraceReportOptions report{.kernels = wanted.kernels};
    const std::string answer = wanted.json ? traceJson(traces.value(), measurement, report) + '\n'
                                           : traceText(traces.value(), measurement, report);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    return exit_done;
}

} // namespace shardscope

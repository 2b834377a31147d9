#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/analyze.h"
#include "core/import/importer.h"
#include "core/report/trace_report.h"

#include <optional>

namespace shardscope
{

int traceCommand(const Arguments& arguments)
{
    if (arguments.paths.empty())
        return fail(exit_wrong_usage, "no trace is named; usage: " + usageOf(*commandNamed("trace")));

    AnalysisOptions options;
    const Result<ClassificationRules> rules = rulesOf(arguments);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    options.rules = rules.value();
    std::optional<Scenario> layout;
    if (arguments.has("--scenario")) {
        const Result<Scenario> scenario = scenarioOf(arguments.valueOf("--scenario"));
        if (!scenario)
            return fail(exit_bad_input, scenario.error().sentence);
        layout = scenario.value();
        options.layout = &*layout;
    }

    const Result<TraceSet> traces = importTraces(pathsOf(arguments.paths));
    if (!traces)
        return fail(exit_bad_input, traces.error().sentence);
    const Measurement measurement = analyze(traces.value(), options);
    const TraceReportOptions report{.kernels = arguments.has("--kernels")};
    return print(arguments.has("--json") ? traceJson(traces.value(), measurement, report) + '\n'
                                         : traceText(traces.value(), measurement, report));
}

} // namespace shardscope

#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/analyze.h"
#include "core/analysis/run_difference.h"
#include "core/report/run_difference_report.h"

namespace shardscope
{

namespace
{

// Of a path that holds several runs with the same ranks the first is taken, and a warning says so.
struct ReadRun {
    TraceSet traces;
    Measurement measurement;
};

Result<ReadRun> runAt(const Arguments& arguments, std::size_t path, const AnalysisOptions& options)
{
    Result<TraceSet> traces =
        tracesOf(arguments, std::span{arguments.paths}.subspan(path, 1), options.rulesOrShipped());
    if (!traces)
        return traces.error();
    ReadRun run{std::move(traces.value()), {}};
    run.measurement = analyze(run.traces, options);
    return run;
}

} // namespace

int compareRunsCommand(const Arguments& arguments)
{
    if (arguments.paths.size() != 2)
        return fail(exit_wrong_usage, "compare-runs needs two runs, each a file or folder; usage: "
                                          + usageOf(*commandNamed("compare-runs")));
    const Result<ClassificationRules> rules = rulesOf(arguments);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    AnalysisOptions options;
    options.rules = &rules.value();
    const Result<std::optional<Scenario>> layout = layoutOf(arguments);
    if (!layout)
        return fail(exit_bad_input, layout.error().sentence);
    options.layout = layout.value() ? &*layout.value() : nullptr;
    const Result<ReadRun> before = runAt(arguments, 0, options);
    if (!before)
        return fail(exit_bad_input, before.error().sentence);
    const Result<ReadRun> after = runAt(arguments, 1, options);
    if (!after)
        return fail(exit_bad_input, after.error().sentence);
    const RunDifference difference = differenceOf({before.value().traces, before.value().measurement},
                                                  {after.value().traces, after.value().measurement});
    return print(arguments.has("--json") ? runDifferenceJson(difference) + '\n'
                                         : runDifferenceText(difference));
}

} // namespace shardscope

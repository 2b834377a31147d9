#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/step_argument.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/analyze.h"
#include "core/analysis/run_difference.h"
#include "core/report/run_difference_report.h"

#include <array>
#include <optional>
#include <string>

namespace shardscope
{

namespace
{

// "6,7": the steps of the runs that are compared; nothing of each without.
Result<std::array<std::optional<std::int64_t>, 2>> stepsOf(const std::string& text)
{
    std::array<std::optional<std::int64_t>, 2> steps;
    if (text.empty())
        return steps;
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos)
        return Error{"two steps are expected, of the run before and of the one after, as in 6,7"};
    const std::array<std::string, 2> words{text.substr(0, comma), text.substr(comma + 1)};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Result<std::optional<std::int64_t>> step = parseStep(words[i]);
        if (!step)
            return step.error();
        steps[i] = step.value();
    }
    return steps;
}

// Of a path that holds several runs with the same ranks the first is taken; the set's warnings say so.
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
    if (const auto error = missingStep(traces.value(), options.step))
        return Error{"compare-runs: --steps: " + arguments.paths[path] + ": " + error->sentence};
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
    const auto steps = stepsOf(arguments.valueOf("--steps"));
    if (!steps)
        return fail(exit_wrong_usage, "compare-runs: --steps: " + steps.error().sentence);
    options.step = steps.value()[0];
    const Result<ReadRun> before = runAt(arguments, 0, options);
    if (!before)
        return fail(exit_bad_input, before.error().sentence);
    options.step = steps.value()[1];
    const Result<ReadRun> after = runAt(arguments, 1, options);
    if (!after)
        return fail(exit_bad_input, after.error().sentence);
    const auto& [traces_before, measured_before] = before.value();
    const auto& [traces_after, measured_after] = after.value();
    RunDifference difference = differenceOf({traces_before, measured_before}, {traces_after, measured_after});
    for (const std::string& note : measured_before.notes)
        difference.notes.push_back("Before: " + note);
    for (const std::string& note : measured_after.notes)
        difference.notes.push_back("After: " + note);
    return print(arguments.has("--json") ? runDifferenceJson(difference) + '\n'
                                         : runDifferenceText(difference));
}

} // namespace shardscope

#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/resizing_argument.h"
#include "app/cli/step_argument.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/activity.h"
#include "core/report/trace_report.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

Result<std::optional<Resizing>> resizingOf(const Arguments& arguments)
{
    if (!arguments.has("--resize"))
        return std::optional<Resizing>{};
    const Result<Resizing> resizing = parseResizing(arguments.valueOf("--resize"));
    if (!resizing)
        return Error{"trace: --resize: " + resizing.error().sentence};
    return std::optional{resizing.value()};
}

// Why --activity shows nothing.
std::string noActivityNote(const TraceSet& traces, bool of_step)
{
    const bool has_digest =
        std::ranges::any_of(traces.files, [](const TraceFile& file) { return file.digest != nullptr; });
    return of_step && has_digest ? "digests tell no activity of a single step: give the traces themselves"
                                 : "no trace has events of a GPU: activity is told only of these";
}

} // namespace

int traceCommand(const Arguments& arguments)
{
    if (arguments.paths.empty())
        return fail(exit_wrong_usage, "no trace is named; usage: " + usageOf(*commandNamed("trace")));

    AnalysisOptions options;
    const Result<ClassificationRules> rules = rulesOf(arguments);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    options.rules = &rules.value();
    const Result<std::optional<Scenario>> layout = layoutOf(arguments);
    if (!layout)
        return fail(exit_bad_input, layout.error().sentence);
    options.layout = layout.value() ? &*layout.value() : nullptr;

    const Result<std::optional<std::int64_t>> step = parseStep(arguments.valueOf("--step"));
    if (!step)
        return fail(exit_wrong_usage, "trace: --step: " + step.error().sentence);
    options.step = step.value();

    const Result<std::optional<Resizing>> resizing = resizingOf(arguments);
    if (!resizing)
        return fail(exit_wrong_usage, resizing.error().sentence);

    const Result<TraceSet> traces = tracesOf(arguments, arguments.paths, rules.value());
    if (!traces)
        return fail(exit_bad_input, traces.error().sentence);
    if (const auto error = missingStep(traces.value(), options.step))
        return fail(exit_bad_input, "trace: --step: " + error->sentence);
    Measurement measurement = analyze(traces.value(), options);
    const std::vector<RankActivity> activity = measureActivity(traces.value(), options);
    if (arguments.has("--activity") && activity.empty())
        measurement.notes.push_back(noActivityNote(traces.value(), options.step.has_value()));
    const TraceReportOptions report{.kernels = arguments.has("--kernels"),
                                    .activity = activity,
                                    .details = arguments.has("--activity"),
                                    .resizing = resizing.value()};
    return print(arguments.has("--json") ? traceJson(traces.value(), measurement, report) + '\n'
                                         : traceText(traces.value(), measurement, report));
}

} // namespace shardscope

#include "app/cli/trace_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/number_list.h"
#include "app/cli/resizing_argument.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/activity.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/report/trace_report.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace shardscope
{

namespace
{

// The step that --step names; nothing for all. Error: the sentence says what is expected.
Result<std::optional<std::int64_t>> stepOf(const Arguments& arguments)
{
    const std::string text = arguments.valueOf("--step");
    if (text.empty() || text == "all")
        return std::optional<std::int64_t>{};
    if (text == "0")
        return std::optional<std::int64_t>{0};
    const Result<std::int64_t> step = parseCount(text, std::numeric_limits<std::int64_t>::max());
    if (!step)
        return Error{"trace: --step: " + step.error().sentence + ", or all"};
    return std::optional<std::int64_t>{step.value()};
}

// Whether a file has the step. Error: which there are.
std::optional<Error> missingStep(const TraceSet& traces, std::int64_t step)
{
    const std::vector<std::int64_t> steps = stepNumbers(traces);
    if (std::ranges::binary_search(steps, step))
        return std::nullopt;
    if (steps.empty())
        return Error{"trace: --step: the traces mark no profiler steps; leave it out to count everything"};
    std::string known;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, steps.size()); ++i)
        known += (i > 0 ? ", " : "") + std::to_string(steps[i]);
    if (steps.size() > most)
        known += " ... " + std::to_string(steps.back());
    return Error{"trace: --step: no trace has step " + std::to_string(step)
                 + (steps.size() == 1 ? "; the only one is " : "; there are the steps ") + known};
}

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

    const Result<std::optional<std::int64_t>> step = stepOf(arguments);
    if (!step)
        return fail(exit_wrong_usage, step.error().sentence);
    options.step = step.value();

    const Result<std::optional<Resizing>> resizing = resizingOf(arguments);
    if (!resizing)
        return fail(exit_wrong_usage, resizing.error().sentence);

    const Result<TraceSet> traces = tracesOf(arguments, arguments.paths, rules.value());
    if (!traces)
        return fail(exit_bad_input, traces.error().sentence);
    if (options.step)
        if (const auto error = missingStep(traces.value(), *options.step))
            return fail(exit_bad_input, error->sentence);
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

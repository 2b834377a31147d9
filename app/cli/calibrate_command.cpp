#include "app/cli/calibrate_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/number_list.h"
#include "app/cli/progress_line.h"
#include "app/cli/standard_input.h"
#include "app/cli/trace_arguments.h"
#include "core/analysis/analyze.h"
#include "core/analysis/calibration/calibration.h"
#include "core/analysis/calibration/calibration_table.h"
#include "core/analysis/calibration/run_points.h"
#include "core/analysis/classification/collective_name.h"
#include "core/analysis/classification/own_rules.h"
#include "core/base/file.h"
#include "core/import/importer.h"
#include "core/report/calibration_report.h"
#include "core/scenario/own_presets.h"
#include "core/scenario/portable_scenario.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

namespace fs = std::filesystem;

struct Measurements {
    std::vector<CalibrationPoint> points;
    std::vector<std::string> notes;
};

// What the command line says, read.
struct Task {
    std::string scenario_file;
    std::string scenario_text;
    Scenario scenario;
    Presets presets;
    MeasuredGroups groups;
};

Result<MeasuredGroups> groupsOf(const Arguments& arguments)
{
    MeasuredGroups groups;
    if (arguments.has("--op")) {
        groups.op = opFromName(arguments.valueOf("--op"));
        if (groups.op == Op::other)
            return Error{"--op: \"" + arguments.valueOf("--op") + "\" is no collective like all_reduce"};
    }
    if (arguments.has("--per-node")) {
        const auto per_node = parseCount(arguments.valueOf("--per-node"), 1'000'000);
        if (!per_node)
            return Error{"--per-node: " + per_node.error().sentence};
        groups.per_node = static_cast<int>(per_node.value());
    }
    return groups;
}

Result<Task> taskOf(const Arguments& arguments, MeasuredGroups groups)
{
    Task task;
    task.groups = groups;
    task.scenario_file = arguments.paths.front();
    auto presets = loadPresets();
    if (!presets)
        return presets.error();
    task.presets = std::move(presets).value();
    const auto text = isStandardInput(task.scenario_file)
                          ? readStandardInput(largest_scenario_bytes)
                          : readFile(task.scenario_file, largest_scenario_bytes);
    if (!text)
        return Error{inputName(task.scenario_file) + ": " + text.error().sentence};
    task.scenario_text = text.value();
    const auto reading = readScenario(task.scenario_text, task.presets);
    if (!reading)
        return Error{inputName(task.scenario_file) + ": " + reading.error().sentence};
    task.scenario = reading.value().scenario;
    return task;
}

// Of a table that tells no operation nothing can be fitted until somebody says it.
std::optional<Error> untoldOperation(const TraceSet& traces, const MeasuredGroups& groups)
{
    const auto file = std::ranges::find_if(
        traces.files, [](const TraceFile& one) { return holdTableOfNoOperation(one.points); });
    if (groups.op || file == traces.files.end())
        return std::nullopt;
    return Error{file->path
                 + ": the table names no operation, and its bandwidths do not tell it; say which it is "
                   "(--op all_to_all), or name the file after its program (alltoall_perf.log)"};
}

Result<bool> readTraces(const Task& task, const std::vector<fs::path>& paths, Measurements& measurements)
{
    if (paths.empty())
        return true;
    ProgressLine line;
    ImportOptions reading;
    reading.on_progress = [&line](const ImportProgress& progress) { return line.show(progress); };
    const auto traces = importTraces(paths, reading);
    if (!traces)
        return traces.error();
    if (const auto untold = untoldOperation(traces.value(), task.groups))
        return *untold;
    const Result<ClassificationRules> rules = rulesInUse();
    if (!rules)
        return rules.error();
    AnalysisOptions options;
    options.layout = &task.scenario;
    options.rules = &rules.value();
    const Measurement measurement = analyze(traces.value(), options);
    const auto points =
        pointsOfRun(traces.value(), measurement, task.scenario, task.groups, measurements.notes);
    measurements.points.insert(measurements.points.end(), points.begin(), points.end());
    return true;
}

Result<Measurements> measurementsOf(const Task& task, std::span<const std::string> paths)
{
    Measurements measurements;
    std::vector<fs::path> traces;
    for (const std::string& path : paths) {
        const auto text = calibrationTableIn(path);
        if (const auto why = text ? std::nullopt : whyNoCalibrationTable(path))
            return Error{path + ": " + *why};
        if (!text) {
            traces.emplace_back(path);
            continue;
        }
        std::vector<std::string> notes;
        const auto points = readCalibrationTable(*text, task.scenario_text, task.presets, notes);
        if (!points)
            return Error{path + ": " + points.error().sentence};
        for (const std::string& note : notes)
            measurements.notes.push_back(path + ": " + note);
        measurements.points.insert(measurements.points.end(), points.value().begin(), points.value().end());
    }
    if (const auto read = readTraces(task, traces, measurements); !read)
        return read.error();
    return measurements;
}

// Keeps the fit as the command line asks: as the user's own cluster, as a scenario file.
Result<bool> save(const Arguments& arguments, const Task& task, Calibration& calibration)
{
    if (arguments.has("--save")) {
        const bool replaces = task.presets.cluster(arguments.valueOf("--save")) != nullptr;
        const auto file = saveOwnCluster(arguments.valueOf("--save"), calibration.cluster,
                                         calibrationSource(calibration), task.presets);
        if (!file)
            return file.error();
        calibration.notes.push_back("saved as cluster \"" + arguments.valueOf("--save") + "\" in "
                                    + file.value().string()
                                    + (replaces ? ", in the place of the one that had the name" : ""));
    }
    if (arguments.has("-o")) {
        Scenario fitted = task.scenario;
        fitted.cluster = calibration.cluster;
        return saveScenarioFile(arguments.valueOf("-o"), portable(fitted, task.presets));
    }
    return true;
}

std::string joined(const std::vector<std::string>& notes)
{
    std::string text;
    for (const std::string& note : notes)
        text += "; " + note;
    return text;
}

} // namespace

int calibrateCommand(const Arguments& arguments)
{
    if (arguments.paths.size() < 2)
        return fail(exit_wrong_usage, "calibrate needs a scenario, then measurements; usage: "
                                          + usageOf(*commandNamed("calibrate")));
    const auto groups = groupsOf(arguments);
    if (!groups)
        return fail(exit_wrong_usage, "calibrate: " + groups.error().sentence);
    const auto task = taskOf(arguments, groups.value());
    if (!task)
        return fail(exit_bad_input, task.error().sentence);
    const auto measurements = measurementsOf(task.value(), std::span{arguments.paths}.subspan(1));
    if (!measurements)
        return fail(exit_bad_input, measurements.error().sentence);
    auto calibration = calibrate(task.value().scenario.cluster, measurements.value().points);
    if (!calibration)
        return fail(exit_bad_input, arguments.paths[1] + ": " + calibration.error().sentence
                                        + joined(measurements.value().notes));
    std::vector<std::string>& notes = calibration.value().notes;
    notes.insert(notes.begin(), measurements.value().notes.begin(), measurements.value().notes.end());
    if (const auto saved = save(arguments, task.value(), calibration.value()); !saved)
        return fail(exit_bad_input, saved.error().sentence);
    return print(arguments.has("--json") ? calibrationJson(task.value().scenario, calibration.value()) + "\n"
                                         : calibrationText(calibration.value()));
}

} // namespace shardscope

#include "widgets/models/calibration_answer.h"

#include "core/analysis/analyze.h"
#include "core/analysis/calibration/calibration_table.h"
#include "core/analysis/calibration/run_points.h"
#include "core/analysis/classification/own_rules.h"
#include "core/import/importer.h"
#include "core/scenario/scenario_json.h"

#include <new>

namespace shardscope
{

namespace
{

struct Measurements {
    std::vector<CalibrationPoint> points;
    std::vector<std::string> notes;

    void add(std::vector<CalibrationPoint> more)
    {
        points.insert(points.end(), std::make_move_iterator(more.begin()),
                      std::make_move_iterator(more.end()));
    }
};

Result<bool> addTraces(const CalibrationQuestion& question, const std::vector<std::filesystem::path>& traces,
                       const std::atomic<bool>* stop, Measurements& measurements)
{
    if (traces.empty())
        return true;
    ImportOptions importing;
    importing.on_progress = [stop](const ImportProgress&) { return stop == nullptr || !stop->load(); };
    const auto set = importTraces(traces, importing);
    if (!set)
        return set.error();
    const Result<ClassificationRules> rules = rulesInUse();
    if (!rules)
        return rules.error();
    AnalysisOptions options;
    options.layout = question.scenario.get();
    options.rules = &rules.value();
    measurements.add(pointsOfRun(set.value(), analyze(set.value(), options), *question.scenario,
                                 question.groups, measurements.notes));
    return true;
}

Result<Measurements> measurementsOf(const CalibrationQuestion& question, const std::atomic<bool>* stop)
{
    Measurements measurements;
    if (question.run)
        measurements.add(pointsOfRun(question.run->traces, question.run->measurement, *question.scenario,
                                     question.groups, measurements.notes));
    const std::string scenario = writeScenario(*question.scenario);
    std::vector<std::filesystem::path> traces;
    for (const std::filesystem::path& file : question.files) {
        const auto table = calibrationTableIn(file);
        if (const auto why = table ? std::nullopt : whyNoCalibrationTable(file))
            return Error{file.filename().string() + ": " + *why};
        if (!table) {
            traces.push_back(file);
            continue;
        }
        std::vector<std::string> notes;
        auto points = readCalibrationTable(*table, scenario, *question.presets, notes);
        if (!points)
            return Error{file.filename().string() + ": " + points.error().sentence};
        for (const std::string& note : notes)
            measurements.notes.push_back(file.filename().string() + ": " + note);
        measurements.add(std::move(points).value());
    }
    if (const auto read = addTraces(question, traces, stop, measurements); !read)
        return read.error();
    return measurements;
}

void answer(CalibrationAnswer& answer, const std::atomic<bool>* stop)
{
    auto measurements = measurementsOf(answer.question, stop);
    if (!measurements) {
        answer.problem = measurements.error().sentence;
        return;
    }
    auto fit = calibrate(answer.question.scenario->cluster, measurements.value().points, stop);
    if (!fit) {
        answer.problem = fit.error().sentence;
        for (const std::string& note : measurements.value().notes)
            answer.problem += "; " + note;
        return;
    }
    answer.fit = std::move(fit).value();
    answer.notes = std::move(measurements.value().notes);
}

} // namespace

CalibrationAnswer answerCalibration(const CalibrationQuestion& question, const std::atomic<bool>* stop)
{
    CalibrationAnswer result{question, {}, {}, std::nullopt};
    if (question.asksNothing())
        return result;
    try {
        answer(result, stop);
    } catch (const std::bad_alloc&) {
        result.fit.reset();
        result.problem = "there is not enough memory for these traces: take fewer of them";
    }
    return result;
}

} // namespace shardscope

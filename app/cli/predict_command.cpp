#include "app/cli/predict_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/scenario_changes.h"
#include "app/cli/whole_key.h"
#include "core/base/json_writer.h"
#include "core/prediction/predict.h"
#include "core/report/prediction_report.h"
#include "core/scenario/own_presets.h"
#include "core/scenario/scenario_json.h"

#include <fstream>
#include <iostream>

namespace shardscope
{

namespace
{

bool isStream(const std::string& path)
{
    return path == "-" || path.ends_with(".jsonl");
}

// What a script or a job says that no scenario does may be why its run cannot be predicted.
std::string notesOf(const ScenarioReading& reading)
{
    std::string notes;
    const bool is_script = reading.source == ScenarioSource::launch_script;
    if (isOfRun(reading.source))
        for (const std::string& warning : reading.warnings)
            notes += (!notes.empty() ? " " : is_script ? ". Of the script: " : ". Of the job: ") + warning;
    return notes;
}

bool isBlank(const std::string& line)
{
    return line.find_first_not_of(" \t\r") == std::string::npos;
}

// Answers scenarios: read, predicted, written.
class Predictor
{
public:
    Predictor(Presets presets, ScenarioChanges changes, PredictionReportOptions report, bool json)
        : m_presets{std::move(presets)},
          m_changes{std::move(changes)},
          m_report{std::move(report)},
          m_json{json}
    {
    }

    // One file, one answer.
    int answerFile(const std::string& path) const
    {
        const auto answer = this->answer(m_changes.read(path, m_presets), m_json, m_report.indent);
        if (!answer)
            return fail(exit_bad_input, path + ": " + answer.error().sentence);
        return print(answer.value());
    }

    // A scenario a line, a compact answer a line; a bad line is answered with its error.
    int answerStream(const std::string& path) const
    {
        if (path == "-")
            return answerLines(std::cin);
        std::ifstream stream{path};
        if (!stream)
            return fail(exit_bad_input,
                        path + ": the file cannot be opened; is it there, and may you read it?");
        return answerLines(stream);
    }

private:
    int answerLines(std::istream& stream) const
    {
        std::string line;
        for (std::int64_t number = 1; std::getline(stream, line); ++number) {
            if (isBlank(line))
                continue;
            const auto answer = this->answer(m_changes.readText(line, m_presets), true, -1);
            const int status =
                print(answer ? answer.value() : errorLine(inLine(number, answer.error().sentence)));
            if (status != exit_done)
                return status;
        }
        return exit_done;
    }

    // Of a line that was read by itself: "line 1, column 41 (byte 41)" is a place in that line.
    static std::string inLine(std::int64_t number, std::string sentence)
    {
        constexpr std::string_view first = "line 1, column ";
        const std::size_t place = sentence.find(first);
        if (place == std::string::npos)
            return sentence;
        const std::size_t byte = sentence.find(" (byte ", place);
        if (const std::size_t end = sentence.find(')', byte); end != std::string::npos)
            sentence.erase(byte, end + 1 - byte);
        return sentence.replace(place, first.size(), "line " + std::to_string(number) + ", column ");
    }

    static std::string errorLine(const std::string& sentence)
    {
        JsonWriter json{-1};
        json.beginObject();
        json.member("error", sentence);
        json.endObject();
        return json.take() + "\n";
    }

    Result<std::string> answer(Result<ScenarioReading> reading, bool json, int indent) const
    {
        if (!reading)
            return reading.error();
        const std::string notes = notesOf(reading.value());
        if (const auto settled = m_changes.settle(reading.value(), m_presets); !settled)
            return settled.error();
        const Scenario& scenario = reading.value().scenario;
        auto prediction = predict(scenario);
        if (!prediction)
            return Error{withWholeKey(prediction.error().sentence, scenario) + notes};
        const auto ranks = chosenRanks(m_report.ranks, RankLayout{scenario.parallel}, RankParts{scenario});
        if (!ranks)
            return ranks.error();
        std::vector<std::string>& warnings = prediction.value().warnings;
        warnings.insert(warnings.begin(), reading.value().warnings.begin(), reading.value().warnings.end());
        PredictionReportOptions report = m_report;
        report.indent = indent;
        return json ? predictionJson(scenario, prediction.value(), report) + "\n"
                    : predictionText(scenario, prediction.value(), report);
    }

    Presets m_presets;
    ScenarioChanges m_changes;
    PredictionReportOptions m_report;
    bool m_json;
};

Result<PredictionReportOptions> reportOptions(const Arguments& arguments)
{
    PredictionReportOptions report;
    report.matrix = arguments.has("--matrix");
    report.timeline = arguments.has("--timeline");
    // Several answers take a line each.
    report.indent = arguments.paths.size() > 1 ? -1 : 2;
    if (arguments.has("--ranks")) {
        const auto ranks = rankChoiceFromWord(arguments.valueOf("--ranks"));
        if (!ranks)
            return Error{"--ranks: " + ranks.error().sentence};
        report.ranks = ranks.value();
    }
    return report;
}

} // namespace

int predictCommand(const Arguments& arguments)
{
    const std::vector<std::string>& paths = arguments.paths;
    if (paths.empty())
        return fail(exit_wrong_usage,
                    "predict: no scenario is named; usage: " + usageOf(*commandNamed("predict")));
    const auto report = reportOptions(arguments);
    if (!report)
        return fail(exit_wrong_usage, "predict: " + report.error().sentence);
    auto presets = loadPresets();
    if (!presets)
        return fail(exit_bad_input, presets.error().sentence);
    for (const std::string& problem : presets.value().problems())
        warn(problem);

    auto changes = ScenarioChanges::of(arguments);
    if (!changes)
        return fail(exit_bad_input, changes.error().sentence);
    Predictor predictor{std::move(presets).value(), std::move(changes).value(), report.value(),
                        arguments.has("--json")};
    int status = exit_done;
    for (const std::string& path : paths) {
        const int one = isStream(path) ? predictor.answerStream(path) : predictor.answerFile(path);
        status = status == exit_done ? one : status;
    }
    return status;
}

} // namespace shardscope

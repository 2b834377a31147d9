#include "app/cli/study_command.h"

#include "app/cli/axis_values_argument.h"
#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/standard_input.h"
#include "app/cli/trace_arguments.h"
#include "app/cli/whole_key.h"
#include "core/report/change_report.h"
#include "core/report/csv.h"
#include "core/report/projection_report.h"
#include "core/report/sweep_report.h"
#include "core/report/text_table.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/validation/validation.h"
#include "core/sweep/studies.h"

#include <array>

namespace shardscope
{

namespace
{

// Those that are told by a table: not the ones about a trace, two sliders, or all layouts (search).
std::vector<const Study*> tabledStudies()
{
    std::vector<const Study*> tabled;
    for (const Study& study : studies())
        if (study.picture == StudyPicture::bars || study.picture == StudyPicture::projection
            || study.picture == StudyPicture::futures || study.picture == StudyPicture::changes
            || study.picture == StudyPicture::steps)
            tabled.push_back(&study);
    return tabled;
}

std::string listOfStudies()
{
    TextTable table{{"question", "", "after"}};
    for (const Study* study : tabledStudies())
        table.addRow({std::string{study->key}, std::string{study->title}, std::string{study->source}});
    return table.text();
}

// "recomputed_layers" is as good as "recomputed-layers".
const Study* studyNamed(std::string key)
{
    std::ranges::replace(key, '_', '-');
    for (const Study* study : tabledStudies())
        if (study->key == key)
            return study;
    return nullptr;
}

std::string noSuchStudy(const std::string& name)
{
    std::vector<std::string> names;
    for (const Study* study : tabledStudies())
        names.emplace_back(study->key);
    return "study: there is no question \"" + name + "\"; the nearest one is " + nearestWord(name, names)
           + "; \"study list\" lists all";
}

std::string linesOf(const std::vector<std::vector<std::string>>& rows)
{
    std::string text;
    for (const std::vector<std::string>& row : rows)
        text += csvLine(row);
    return text;
}

// The end of a scenario alone is that scenario with what --set gives it.
bool isFromSettings(const Study& study, const Arguments& arguments)
{
    return study.picture == StudyPicture::steps && arguments.paths.size() == 2 && arguments.has("--set");
}

int printSteps(const Arguments& arguments, bool is_from_settings)
{
    if (is_from_settings && isStandardInput(arguments.paths[1]))
        return fail(exit_wrong_usage, "study steps: with --set the scenario is read twice, which standard "
                                      "input cannot be; name a file");
    Arguments beginning = arguments;
    if (is_from_settings)
        beginning.options.erase("--set");
    std::array<Scenario, 2> ends;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::string& file = arguments.paths[is_from_settings ? 1 : i + 1];
        Result<Scenario> scenario = scenarioOf(file, i == 0 ? beginning : arguments);
        if (!scenario)
            return fail(exit_bad_input, scenario.error().sentence);
        if (const auto problems = validate(scenario.value()); !problems.empty())
            return fail(exit_bad_input,
                        inputName(file) + ": " + withWholeKey(problems.front().sentence, scenario.value()));
        ends[i] = std::move(scenario).value();
    }
    const ChangeSteps way = changeSteps(ends[0], ends[1]);
    if (arguments.has("--csv"))
        return print(linesOf(stepsRows(way)));
    return print(arguments.has("--json") ? stepsJson(way) + "\n" : stepsText(way));
}

int printChanges(const Scenario& scenario, const Arguments& arguments)
{
    const SingleChanges changes = singleChanges(scenario);
    if (!changes.own.isValid())
        return fail(exit_bad_input,
                    inputName(arguments.paths.back()) + ": " + withWholeKey(changes.own.problem, scenario));
    if (arguments.has("--csv"))
        return print(linesOf(changesRows(changes)));
    return print(arguments.has("--json") ? changesJson(changes) + "\n" : changesText(changes));
}

// Pati et al.'s: the values are how many times faster compute grew than the links.
int printLayerStudy(const Study& study, const Scenario& scenario, const Arguments& arguments)
{
    const std::string problem = studyProblem(study, scenario, study.axis, study.axis);
    if (!problem.empty())
        return fail(exit_bad_input, inputName(arguments.paths.back()) + ": " + problem);
    const auto values = axisValuesOf(SweepAxis::flop_vs_bandwidth,
                                     arguments.has("--values") ? arguments.valueOf("--values") : "1,2,4");
    if (!values)
        return fail(exit_wrong_usage, "study: --values: " + values.error().sentence);
    const RowFormat format = arguments.has("--csv")    ? RowFormat::csv
                             : arguments.has("--json") ? RowFormat::json
                                                       : RowFormat::text;
    return print(study.picture == StudyPicture::futures ? futuresStudy(scenario, values.value(), format)
                                                        : projectionStudy(scenario, values.value(), format));
}

int printSweep(const Study& study, const Scenario& scenario, const Arguments& arguments)
{
    const std::string problem = studyProblem(study, scenario, study.axis, study.axis);
    if (!problem.empty())
        return fail(exit_bad_input, inputName(arguments.paths.back()) + ": " + problem);
    Sweep sweep = sweepOf(study, scenario);
    if (arguments.has("--values")) {
        const auto values = axisValuesOf(study.axis, arguments.valueOf("--values"));
        if (!values)
            return fail(exit_wrong_usage, "study: --values: " + values.error().sentence);
        sweep.values = values.value();
    }
    const std::vector<SweepPoint> points = runSweep(sweep);
    if (arguments.has("--csv"))
        return print(sweepCsv(sweep, points));
    return print(arguments.has("--json") ? sweepJson(sweep, points) + "\n" : sweepText(sweep, points));
}

int answer(const Study& study, const Arguments& arguments)
{
    const bool is_steps = study.picture == StudyPicture::steps;
    if (arguments.has("--values") && (is_steps || study.picture == StudyPicture::changes))
        return fail(exit_wrong_usage, "study " + std::string{study.key} + " has no axis; leave out --values");
    if (is_steps)
        return printSteps(arguments, isFromSettings(study, arguments));
    const Result<Scenario> scenario = scenarioOf(arguments.paths.back(), arguments);
    if (!scenario)
        return fail(exit_bad_input, scenario.error().sentence);
    if (study.picture == StudyPicture::changes)
        return printChanges(scenario.value(), arguments);
    return study.picture == StudyPicture::bars ? printSweep(study, scenario.value(), arguments)
                                               : printLayerStudy(study, scenario.value(), arguments);
}

} // namespace

int studyCommand(const Arguments& arguments)
{
    const std::vector<std::string>& paths = arguments.paths;
    if (paths.size() == 1 && paths.front() == "list") {
        if (arguments.has("--csv") || arguments.has("--json"))
            return fail(exit_wrong_usage,
                        "study: the list of questions is text only; leave out --csv and --json");
        return print(listOfStudies());
    }
    const Study* study = paths.empty() ? nullptr : studyNamed(paths.front());
    if (study == nullptr && paths.size() == 2)
        return fail(exit_wrong_usage, noSuchStudy(paths.front()));
    const bool is_steps = study != nullptr && study->picture == StudyPicture::steps;
    const std::size_t scenarios = is_steps && !isFromSettings(*study, arguments) ? 2 : 1;
    if (study == nullptr || paths.size() != 1 + scenarios)
        return fail(exit_wrong_usage,
                    std::string{is_steps ? "study steps needs two scenarios, or one and --set"
                                         : "study needs a question and a scenario"}
                        + "; usage: " + usageOf(*commandNamed("study")));
    return answer(*study, arguments);
}

} // namespace shardscope

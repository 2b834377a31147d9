#include "app/cli/study_command.h"

#include "app/cli/axis_values_argument.h"
#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/report/projection_report.h"
#include "core/report/sweep_report.h"
#include "core/report/text_table.h"
#include "core/scenario/nearest_key.h"
#include "core/sweep/studies.h"

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
            || study.picture == StudyPicture::futures)
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

const Study* studyNamed(std::string_view key)
{
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

// Pati et al.'s: the values are how many times faster compute grew than the links.
int printLayerStudy(const Study& study, const Scenario& scenario, const Arguments& arguments)
{
    const std::string problem = studyProblem(study, scenario, study.axis, study.axis);
    if (!problem.empty())
        return fail(exit_bad_input, arguments.paths.back() + ": " + problem);
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

} // namespace

int studyCommand(const Arguments& arguments)
{
    if (arguments.paths.size() == 1 && arguments.paths.front() == "list") {
        if (arguments.has("--csv") || arguments.has("--json"))
            return fail(exit_wrong_usage,
                        "study: the list of questions is text alone; leave out --csv and --json");
        return print(listOfStudies());
    }
    if (arguments.paths.size() != 2)
        return fail(exit_wrong_usage,
                    "study needs a question and a scenario; usage: " + usageOf(*commandNamed("study")));
    const Study* study = studyNamed(arguments.paths.front());
    if (study == nullptr)
        return fail(exit_wrong_usage, noSuchStudy(arguments.paths.front()));
    const std::string& file = arguments.paths.back();
    const Result<Scenario> scenario = scenarioOf(file);
    if (!scenario)
        return fail(exit_bad_input, scenario.error().sentence);
    if (study->picture != StudyPicture::bars)
        return printLayerStudy(*study, scenario.value(), arguments);
    const std::string problem = studyProblem(*study, scenario.value(), study->axis, study->axis);
    if (!problem.empty())
        return fail(exit_bad_input, file + ": " + problem);
    Sweep sweep = sweepOf(*study, scenario.value());
    if (arguments.has("--values")) {
        const auto values = axisValuesOf(study->axis, arguments.valueOf("--values"));
        if (!values)
            return fail(exit_wrong_usage, "study: --values: " + values.error().sentence);
        sweep.values = values.value();
    }
    const std::vector<SweepPoint> points = runSweep(sweep);
    if (arguments.has("--csv"))
        return print(sweepCsv(sweep, points));
    return print(arguments.has("--json") ? sweepJson(sweep, points) + "\n" : sweepText(sweep, points));
}

} // namespace shardscope

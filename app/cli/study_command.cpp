#include "app/cli/study_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/trace_arguments.h"
#include "core/report/sweep_report.h"
#include "core/report/text_table.h"
#include "core/scenario/nearest_key.h"
#include "core/sweep/studies.h"

#include <algorithm>
#include <ranges>

namespace shardscope
{

namespace
{

auto barStudies()
{
    return studies()
           | std::views::filter([](const Study& study) { return study.picture == StudyPicture::bars; });
}

std::string listOfStudies()
{
    TextTable table{{"question", "", "after"}};
    for (const Study& study : barStudies())
        table.addRow({std::string{study.key}, std::string{study.title}, std::string{study.source}});
    return table.text();
}

const Study* studyNamed(std::string_view key)
{
    for (const Study& study : barStudies())
        if (study.key == key)
            return &study;
    return nullptr;
}

std::string noSuchStudy(const std::string& name)
{
    std::vector<std::string> names;
    for (const Study& study : barStudies())
        names.emplace_back(study.key);
    return "study: there is no question \"" + name + "\"; the nearest one is " + nearestWord(name, names)
           + "; \"study list\" lists all";
}

Result<std::vector<double>> valuesOf(SweepAxis axis, std::string_view text)
{
    std::vector<double> values;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const Result<double> value = axisValue(axis, text.substr(begin, end - begin));
        if (!value)
            return Error{value.error().sentence};
        values.push_back(value.value());
        begin = end + 1;
    }
    return values;
}

} // namespace

int studyCommand(const Arguments& arguments)
{
    if (arguments.paths.size() == 1 && arguments.paths.front() == "list")
        return print(listOfStudies());
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
    const std::string problem = studyProblem(*study, scenario.value(), study->axis, study->axis);
    if (!problem.empty())
        return fail(exit_bad_input, file + ": " + problem);
    Sweep sweep = sweepOf(*study, scenario.value());
    if (arguments.has("--values")) {
        const auto values = valuesOf(study->axis, arguments.valueOf("--values"));
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

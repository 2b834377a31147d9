#include "app/cli/map_command.h"

#include "app/cli/axis_values_argument.h"
#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/number_list.h"
#include "app/cli/standard_input.h"
#include "app/cli/trace_arguments.h"
#include "core/report/map_report.h"
#include "core/sweep/axis_values.h"
#include "core/sweep/studies.h"

namespace shardscope
{

namespace
{

constexpr std::int64_t most_points = 256;
constexpr std::int64_t usual_points = 8; // columns that a terminal holds

// Its column in a table; of the two axes over GPUs the study's word.
std::string wordOf(SweepAxis axis)
{
    return axis == SweepAxis::gpus_strong ? "strong" : axis == SweepAxis::gpus_weak ? "weak" : axisKey(axis);
}

Result<SweepAxis> axisNamed(const std::string& name)
{
    std::string known;
    for (const SweepAxis axis : mapAxes()) {
        if (wordOf(axis) == name)
            return axis;
        known += (known.empty() ? "" : ", ") + wordOf(axis);
    }
    return Error{"\"" + name + "\" is no axis of a map; there are " + known};
}

struct Side {
    SweepAxis axis = SweepAxis::sequence_length;
    std::vector<double> values;
};

// `option`: "--x" or "--y"; with "-values" behind it, what replaces the axis's own.
Result<Side> sideOf(const Arguments& arguments, const std::string& option, const Scenario& scenario,
                    int points)
{
    if (!arguments.has(option))
        return Error{option + " is missing: name an axis, like sequence_length or network_GBps"};
    const auto axis = axisNamed(arguments.valueOf(option));
    if (!axis)
        return Error{option + ": " + axis.error().sentence};
    const std::string values = option + "-values";
    if (!arguments.has(values))
        return Side{axis.value(), mapValues(scenario, axis.value(), points)};
    const auto given = axisValuesOf(axis.value(), arguments.valueOf(values));
    if (!given)
        return Error{values + ": " + given.error().sentence};
    return Side{axis.value(), given.value()};
}

Result<TimeMap> emptyMap(const Arguments& arguments, const Scenario& scenario)
{
    std::int64_t points = usual_points;
    if (arguments.has("--points")) {
        const auto count = parseCount(arguments.valueOf("--points"), most_points);
        if (!count)
            return Error{"--points: " + count.error().sentence};
        points = count.value();
    }
    const auto x = sideOf(arguments, "--x", scenario, static_cast<int>(points));
    if (!x)
        return x.error();
    const auto y = sideOf(arguments, "--y", scenario, static_cast<int>(points));
    if (!y)
        return y.error();
    if (setTheSame(x.value().axis, y.value().axis))
        return Error{"both axes set the same; choose two different ones"};
    TimeMap map;
    map.x_axis = x.value().axis;
    map.y_axis = y.value().axis;
    map.x_values = x.value().values;
    map.y_values = y.value().values;
    map.model = scenario.time_model == TimeModel::li ? MapModel::closed_form : MapModel::detailed;
    return map;
}

} // namespace

int mapCommand(const Arguments& arguments)
{
    if (arguments.paths.size() != 1)
        return fail(exit_wrong_usage, "map needs one scenario; usage: " + usageOf(*commandNamed("map")));
    const std::string& file = arguments.paths.front();
    const auto read = scenarioOf(file, arguments);
    if (!read)
        return fail(exit_bad_input, read.error().sentence);
    const Scenario& scenario = read.value();
    auto empty = emptyMap(arguments, scenario);
    if (!empty)
        return fail(exit_wrong_usage, "map: " + empty.error().sentence);
    TimeMap map = std::move(empty).value();
    for (const Study& study : studies())
        if (study.picture == StudyPicture::map)
            if (const std::string problem = studyProblem(study, scenario, map.x_axis, map.y_axis);
                !problem.empty())
                return fail(exit_bad_input, inputName(file) + ": " + problem);
    fillMap(map, scenario);
    if (arguments.has("--csv"))
        return print(mapCsv(map, scenario));
    return print(arguments.has("--json") ? mapJson(map, scenario) + "\n" : mapText(map, scenario));
}

} // namespace shardscope

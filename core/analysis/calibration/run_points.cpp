#include "core/analysis/calibration/run_points.h"

#include "core/analysis/comparison.h"
#include "core/base/format.h"
#include "core/prediction/predict.h"

#include <algorithm>

namespace shardscope
{

namespace
{

CalibrationPoint iterationOf(const Scenario& scenario, double seconds)
{
    return {"an iteration of the scenario", seconds, {}, scenario};
}

// Why the scenario is not known to be the run's; empty: it is.
std::string whyNotTheRuns(const Comparison& comparison)
{
    if (comparison.rows.empty())
        return "no messages tell whether the scenario is the run's; a table with its time can be given "
               "instead";
    if (comparison.is_forward_only)
        return "no backward pass was recorded: it is no whole one";
    if (comparison.equal())
        return {};
    return "the scenario is not the run's: counts or sizes differ in "
           + std::to_string(static_cast<std::int64_t>(comparison.rows.size()) - comparison.equal_rows)
           + " of "
           + countedSentence(static_cast<std::int64_t>(comparison.rows.size()), "1 class of messages",
                             "# classes of messages");
}

// The iteration of the traces; nothing, with a note, where they do not tell that it is the scenario's.
std::vector<CalibrationPoint> iterationOfTraces(const TraceSet& traces, const Measurement& measurement,
                                                const Scenario& scenario, std::vector<std::string>& notes)
{
    if (!measurement.bubble && !std::ranges::any_of(measurement.ranks, &RankMeasurement::has_timeline))
        return {};
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction) {
        notes.push_back("the traces' iteration is not used: " + prediction.error().sentence);
        return {};
    }
    const Comparison comparison = compareCalls(scenario, prediction.value(), traces, measurement);
    if (comparison.measured_iteration_s <= 0.0)
        return {};
    const std::string time = formatSeconds(comparison.measured_iteration_s);
    if (const std::string why = whyNotTheRuns(comparison); !why.empty()) {
        notes.push_back("the traces' iteration (" + time + ") is not used: " + why);
        return {};
    }
    notes.push_back("an iteration's time (" + time + ") is that of the traces, "
                    + countedSentence(comparison.iterations, "1 iteration", "# iterations") + " of "
                    + countedSentence(comparison.ranks, "1 rank", "# ranks") + "; profiling makes it longer");
    return {iterationOf(scenario, comparison.measured_iteration_s)};
}

} // namespace

std::vector<CalibrationPoint> pointsOfRun(const TraceSet& traces, const Measurement& measurement,
                                          const Scenario& scenario, const MeasuredGroups& groups,
                                          std::vector<std::string>& notes)
{
    std::vector<CalibrationPoint> points = calibrationPoints(measurement, scenario, groups, notes);
    const auto timer =
        std::ranges::find(measurement.timers, std::string_view{iteration_timer}, &MeasuredTimer::name);
    if (timer != measurement.timers.end()) {
        points.push_back(iterationOf(scenario, timer->median_s));
        notes.push_back("an iteration's time is the median of " + std::to_string(timer->count)
                        + " lines of the log; the scenario has to be its run's");
    } else {
        std::ranges::move(iterationOfTraces(traces, measurement, scenario, notes),
                          std::back_inserter(points));
    }
    noteSkipped(traces, notes);
    return points;
}

} // namespace shardscope

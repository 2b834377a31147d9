#include "core/analysis/calibration/fit_judgement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace shardscope
{

namespace
{

using Points = std::vector<CalibrationPoint>;

// Whether times of whole iterations were among the measurements: collectives by themselves say nothing about
// computing.
bool fitsCompute(const Calibration& result)
{
    return std::ranges::any_of(result.constants,
                               [](const FittedConstant& constant) { return isOfComputing(constant.key); });
}

// How well the fit does on the points of one sort, iterations or collectives.
struct Judgement {
    bool is_worse_on_others = false; // than the constants before it, on what it did not see
    bool explains_nothing = false;
};

// Pre: the result has a row for each point.
Judgement judgementOf(const Points& points, const Calibration& result, bool of_iterations)
{
    constexpr double worth_telling = 0.005; // ours: about as good is no reason to warn
    constexpr double most_miss = 0.5;       // of half of them, who are of something else than was measured
    int all = 0;
    int far_off = 0;
    int told = 0;
    double worse = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].step.has_value() != of_iterations)
            continue;
        const CalibrationRow& row = result.rows[i];
        ++all;
        far_off += missOf(row.fitted_s, row.measured_s) > most_miss;
        told += row.left_out_s.has_value();
        if (row.left_out_s)
            worse += missOf(*row.left_out_s, row.measured_s) - missOf(row.before_s, row.measured_s);
    }
    return {worse > worth_telling * told, 2 * far_off > all};
}

// A cluster that was not calibrated is so only where its fit covers computing and holds for iterations that
// it did not see. Collectives that it does not explain are told of.
void judgeSorts(bool was_calibrated, const Points& points, Calibration& result)
{
    const bool fits_compute = fitsCompute(result);
    const Judgement iterations = judgementOf(points, result, true);
    const Judgement collectives = judgementOf(points, result, false);
    result.cluster.calibrated =
        was_calibrated || (fits_compute && !iterations.is_worse_on_others && !iterations.explains_nothing);
    for (const auto& [judgement, what] :
         {std::pair{iterations, "iterations"}, std::pair{collectives, "collectives"}}) {
        if (judgement.explains_nothing)
            result.notes.push_back(std::string{"no constants explain the times of "} + what
                                   + ": do their unit, and the model, the layout and the cluster of the "
                                     "scenario, belong to what was measured?");
        if (judgement.is_worse_on_others)
            result.notes.push_back(std::string{"the fit is worse than the constants before it on "} + what
                                   + " that it did not see: do not trust it beyond these measurements");
    }
    if (!was_calibrated && !fits_compute)
        result.notes.push_back("only collectives were fitted: the cluster stays not calibrated until times "
                               "of iterations say how fast it computes");
}

// Four of five measured iterations lie within it: of those that a fit did not see, where some were left out.
// The bands that ship are those of other constants. Collectives by themselves tell nothing of iterations.
void takeErrors(const Points& points, Calibration& result)
{
    constexpr double least = 0.03; // repeated runs differ by as much (docs/accuracy.md)
    constexpr double four_of_five = 0.8;
    std::vector<double> misses;
    bool is_left_out = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i].step || points[i].step->time_model != TimeModel::detailed)
            continue;
        const CalibrationRow& row = result.rows[i];
        is_left_out = is_left_out || row.left_out_s.has_value();
        misses.push_back(std::abs(row.measured_s / row.left_out_s.value_or(row.fitted_s) - 1.0));
    }
    const bool is_met_as_any_is = misses.size() == 1 && misses.front() < least; // one constant, one time
    if (misses.empty() || is_met_as_any_is)
        return;
    std::ranges::sort(misses);
    const auto place = static_cast<std::size_t>(std::ceil(four_of_five * static_cast<double>(misses.size())));
    const double error = std::max(least, misses[place - 1]);
    ComputeLaw& law = result.cluster.compute;
    for (double* const of : {&law.time_error, &law.time_error_small})
        *of = is_left_out ? error : std::max(*of, error); // a fit says little of what it has seen
    for (double* const of : {&law.time_error_fp8, &law.time_error_unlike})
        *of = std::max(*of, error);
}

// A constant of computing meets one iteration whatever is wrong with the rest.
void noteLoneIteration(const Points& points, Calibration& result)
{
    constexpr double as_good_as_met = 0.001;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i].step || !isAlone(points[i], points) || !fitsCompute(result))
            continue;
        const bool is_met = missOf(result.rows[i].fitted_s, result.rows[i].measured_s) < as_good_as_met;
        result.notes.push_back(
            std::string{"only one iteration says how fast the cluster computes: the fit "}
            + (is_met ? "meets it exactly, whatever else is wrong, and" : "does not meet it, and")
            + " says nothing of other scenarios");
    }
}

} // namespace

double missOf(double predicted_s, double measured_s)
{
    return std::abs(predicted_s / measured_s - 1.0);
}

bool isOfComputing(std::string_view key)
{
    return !key.starts_with("cluster.collectives.");
}

bool isAlone(const CalibrationPoint& point, const std::vector<CalibrationPoint>& points)
{
    return std::ranges::count_if(points,
                                 [&](const CalibrationPoint& other) {
                                     return other.step.has_value() == point.step.has_value();
                                 })
           == 1;
}

void judge(bool was_calibrated, const std::vector<CalibrationPoint>& points, Calibration& result)
{
    takeErrors(points, result);
    judgeSorts(was_calibrated, points, result);
    noteLoneIteration(points, result);
}

} // namespace shardscope

#include "core/analysis/calibration/fit_judgement.h"

#include "core/analysis/calibration/fit_constants.h"

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
// it did not see. Collectives that it does not explain are told of, and that the fit is doubtful.
void judgeSorts(bool was_calibrated, const Points& points, Calibration& result)
{
    const bool fits_compute = fitsCompute(result);
    const Judgement iterations = judgementOf(points, result, true);
    const Judgement collectives = judgementOf(points, result, false);
    result.cluster.calibrated =
        was_calibrated || (fits_compute && !iterations.is_worse_on_others && !iterations.explains_nothing);
    for (const auto& [judgement, what] :
         {std::pair{iterations, "iterations"}, std::pair{collectives, "collectives"}}) {
        result.is_doubtful = result.is_doubtful || judgement.explains_nothing || judgement.is_worse_on_others;
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

// How far a prediction may be off, by one time model or the other: a share of it, or a factor less one.
double errorOf(TimeModel model, double measured_s, double predicted_s)
{
    const double ratio = measured_s / predicted_s;
    return model == TimeModel::li ? std::max(ratio, 1.0 / ratio) - 1.0 : std::abs(ratio - 1.0);
}

// Errors of measured iterations.
struct Errors {
    std::vector<double> all;
    bool are_left_out = false; // some of them are of a fit that did not see the iteration

    // Four of five lie within it. Pre: there are some.
    double band() const
    {
        constexpr double least = 0.03; // repeated runs differ by as much (docs/accuracy.md)
        constexpr double four_of_five = 0.8;
        std::vector<double> sorted = all;
        std::ranges::sort(sorted);
        const auto place = std::ceil(four_of_five * static_cast<double>(sorted.size()));
        return std::max(least, sorted[static_cast<std::size_t>(place) - 1]);
    }
};

Errors errorsOfFitted(TimeModel model, const Points& points, const Calibration& result)
{
    Errors errors;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i].step || points[i].step->time_model != model)
            continue;
        const CalibrationRow& row = result.rows[i];
        errors.are_left_out = errors.are_left_out || row.left_out_s.has_value();
        errors.all.push_back(errorOf(model, row.measured_s, row.left_out_s.value_or(row.fitted_s)));
    }
    return errors;
}

// Of a time model that was not fitted, on the iterations that the other one was fitted to.
Errors errorsOfOther(TimeModel model, const Points& points, const Cluster& cluster)
{
    Errors errors;
    for (CalibrationPoint point : points) {
        if (!point.step || point.step->time_model == model)
            continue;
        point.step->time_model = model;
        if (const auto predicted_s = predictedTime(point, cluster))
            errors.all.push_back(errorOf(model, point.measured_s, *predicted_s));
    }
    return errors;
}

// The bands of a time model by what was measured. `of_kind`: of iterations like those that were measured;
// `of_others`: in 8 bits, or like none that was published.
struct Bands {
    std::vector<double*> of_kind;
    std::vector<double*> of_others;
};

Bands bandsOf(TimeModel model, ComputeLaw& law)
{
    if (model == TimeModel::li)
        return {{&law.time_error_li, &law.time_error_li_small}, {}};
    return {{&law.time_error, &law.time_error_small}, {&law.time_error_fp8, &law.time_error_unlike}};
}

void widen(const std::vector<double*>& bands, double error)
{
    for (double* const band : bands)
        *band = std::max(*band, error);
}

// The bands that ship are those of other constants. A time model that was not fitted keeps them, but is no
// surer than it was on these iterations. Collectives by themselves tell nothing of iterations.
void takeErrors(TimeModel model, const Points& points, Calibration& result)
{
    constexpr double as_any_is = 0.03; // one constant, one time
    const Bands bands = bandsOf(model, result.cluster.compute);
    const Errors fitted = errorsOfFitted(model, points, result);
    if (fitted.all.size() > 1 || (fitted.all.size() == 1 && fitted.all.front() >= as_any_is)) {
        const double error = fitted.band();
        if (fitted.are_left_out)
            for (double* const band : bands.of_kind)
                *band = error;
        widen(bands.of_kind, error); // a fit says little of what it has seen
        widen(bands.of_others, error);
    }
    const Errors other = errorsOfOther(model, points, result.cluster);
    if (other.all.empty())
        return;
    widen(bands.of_kind, other.band());
    widen(bands.of_others, other.band());
}

// Which time model's constants, and bands, are those of the user's own iterations now.
void markFitted(const Points& points, Cluster& cluster)
{
    for (const CalibrationPoint& point : points) {
        if (!point.step)
            continue;
        if (point.step->time_model == TimeModel::li)
            cluster.fitted_mu = cluster.mu;
        else
            cluster.compute.fitted = true;
    }
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
    for (const TimeModel model : {TimeModel::li, TimeModel::detailed})
        takeErrors(model, points, result);
    markFitted(points, result.cluster);
    judgeSorts(was_calibrated, points, result);
    noteLoneIteration(points, result);
}

} // namespace shardscope

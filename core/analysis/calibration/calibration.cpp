#include "core/analysis/calibration/calibration.h"

#include "core/analysis/calibration/fit_constants.h"
#include "core/analysis/calibration/fit_judgement.h"
#include "core/analysis/calibration/simplex_search.h"
#include "core/base/format.h"

#include <algorithm>
#include <cmath>
#include <future>

namespace shardscope
{

namespace
{

using Points = std::vector<CalibrationPoint>;

class Fit
{
public:
    Fit(const Cluster& cluster, const Points& points, const std::atomic<bool>* stop)
        : m_start{cluster}, m_constants{constantsFor(cluster, points)}, m_stop{stop}
    {
        for (const FitConstant& constant : m_constants) {
            const double value = constant.of(m_start);
            constant.of(m_start) = std::clamp(value, constant.least, constant.most);
        }
    }

    const std::vector<FitConstant>& constants() const { return m_constants; }
    bool isStopped() const { return m_stop != nullptr && m_stop->load(std::memory_order_relaxed); }

    // The constants that explain these points best: the mean of |predicted / measured - 1| is least. Those
    // that the points say little about stay near where they were.
    Cluster explain(const std::vector<const CalibrationPoint*>& points) const
    {
        constexpr int evaluations_for_each = 200;
        if (m_constants.empty())
            return m_start;
        std::vector<double> start;
        Cluster cluster = m_start;
        for (const FitConstant& constant : m_constants)
            start.push_back(constant.of(cluster));
        const auto loss = [&](const std::vector<double>& values) {
            constexpr double pull = 0.003; // for each e-fold that a constant is moved
            if (isStopped())
                return 0.0;
            double sum = place(values, cluster);
            for (std::size_t i = 0; i < values.size(); ++i)
                sum += pull * std::abs(std::log(values[i] / start[i]));
            for (const CalibrationPoint* point : points)
                sum += missOf(predictedTime(*point, cluster).value_or(1e9), point->measured_s)
                       / static_cast<double>(points.size());
            return sum;
        };
        const int evaluations = evaluations_for_each * (1 + static_cast<int>(start.size()));
        place(simplexSearch(start, loss, evaluations), cluster);
        meetLoneIteration(points, cluster);
        return cluster;
    }

private:
    // The search among all constants ends beside a single iteration; the first constant, its own, meets it.
    void meetLoneIteration(const std::vector<const CalibrationPoint*>& points, Cluster& cluster) const
    {
        constexpr int evaluations = 100;
        const FitConstant& own = m_constants.front();
        const auto is_iteration = [](const CalibrationPoint* point) { return point->step.has_value(); };
        const auto iteration = std::ranges::find_if(points, is_iteration);
        if (std::ranges::count_if(points, is_iteration) != 1 || !isOfComputing(own.key))
            return;
        const auto loss = [&](const std::vector<double>& values) {
            if (isStopped())
                return 0.0;
            const double kept = std::clamp(values.front(), own.least, own.most);
            own.of(cluster) = kept;
            return std::abs(std::log(values.front() / kept))
                   + missOf(predictedTime(**iteration, cluster).value_or(1e9), (*iteration)->measured_s);
        };
        const double found = simplexSearch({own.of(cluster)}, loss, evaluations).front();
        own.of(cluster) = std::clamp(found, own.least, own.most);
    }

    // Puts values into the cluster, kept within bounds; answers how far outside they were.
    double place(const std::vector<double>& values, Cluster& cluster) const
    {
        double outside = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const FitConstant& constant = m_constants[i];
            const double kept = std::clamp(values[i], constant.least, constant.most);
            outside += std::abs(std::log(values[i] / kept));
            constant.of(cluster) = kept;
        }
        return outside;
    }

    Cluster m_start;
    std::vector<FitConstant> m_constants;
    const std::atomic<bool>* m_stop;
};

double meanMiss(const Cluster& cluster, const Points& points)
{
    double sum = 0.0;
    for (const CalibrationPoint& point : points)
        sum += missOf(*predictedTime(point, cluster), point.measured_s);
    return sum / static_cast<double>(points.size());
}

// A fit and what it finds.
struct Explanation {
    Fit fit;
    Cluster cluster;

    Explanation(const Cluster& start, const Points& points, const std::atomic<bool>* stop)
        : fit{start, points, stop}, cluster{start}
    {
        std::vector<const CalibrationPoint*> all;
        for (const CalibrationPoint& point : points)
            all.push_back(&point);
        cluster = fit.explain(all);
    }
};

bool fitsSwitch(const Fit& fit)
{
    return std::ranges::any_of(fit.constants(), [](const FitConstant& constant) {
        return constant.key.starts_with("cluster.collectives.switch_");
    });
}

// Where the node's switch could add up, all_reduces may still have gone in rings (NVLS off), which no
// constants of the switch explain. Ours: the switch stands unless rings are nearer by a percent of the times.
Explanation explain(const Cluster& cluster, const Points& points, const std::atomic<bool>* stop)
{
    constexpr double worth_another_path = 0.01;
    Explanation by_switch{cluster, points, stop};
    if (!fitsSwitch(by_switch.fit))
        return by_switch;
    Cluster without = cluster;
    without.collectives.switch_reduce_efficiency = 0.0;
    Explanation by_ring{without, points, stop};
    const bool is_ring =
        meanMiss(by_ring.cluster, points) + worth_another_path < meanMiss(by_switch.cluster, points);
    return is_ring ? by_ring : by_switch;
}

// Times of each point by a fit that did not see it: every folds-th point is left out at once.
void leaveOut(const Fit& fit, const Points& points, Calibration& result)
{
    constexpr std::size_t most_one_at_a_time = 12;
    constexpr std::size_t parts = 5;
    if (points.size() < 3 || points.size() <= fit.constants().size())
        return;
    const std::size_t folds = points.size() <= most_one_at_a_time ? points.size() : parts;
    result.folds = static_cast<int>(folds);
    std::vector<std::future<Cluster>> clusters;
    for (std::size_t fold = 0; fold < folds; ++fold)
        clusters.push_back(std::async(std::launch::async, [&fit, &points, fold, folds] {
            std::vector<const CalibrationPoint*> seen;
            for (std::size_t i = 0; i < points.size(); ++i)
                if (i % folds != fold)
                    seen.push_back(&points[i]);
            return fit.explain(seen);
        }));
    double sum = 0.0;
    int told = 0;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        const Cluster cluster = clusters[fold].get();
        for (std::size_t i = fold; i < points.size(); i += folds) {
            if (isAlone(points[i], points))
                continue;
            result.rows[i].left_out_s = predictedTime(points[i], cluster);
            sum += missOf(*result.rows[i].left_out_s, points[i].measured_s);
            ++told;
        }
    }
    result.error_left_out = sum / told; // of three points or more two are of one sort
}

// The points that can be predicted, with what is left out and why.
Points usable(const Cluster& cluster, const Points& points, std::vector<std::string>& notes)
{
    Points kept;
    std::string first;
    for (const CalibrationPoint& point : points) {
        if (point.measured_s > 0.0 && predictedTime(point, cluster))
            kept.push_back(point);
        else if (first.empty())
            first = point.what;
    }
    if (kept.size() < points.size())
        notes.push_back(std::to_string(points.size() - kept.size())
                        + " measurements are left out: they have no time, or their configuration cannot be "
                          "trained (the first: "
                        + first + ")");
    return kept;
}

void noteSwitch(const Cluster& before, Calibration& result)
{
    const double reach = before.collectives.switch_reduce_efficiency;
    if (result.cluster.collectives.switch_reduce_efficiency > 0.0 || reach == 0.0)
        return;
    result.constants.push_back({"cluster.collectives.switch_reduce_efficiency", reach, 0.0});
    result.notes.push_back(
        "all_reduces inside a node are those of rings: its switch does not add up here (is "
        "NVLS off?)");
}

void noteLimits(const Fit& fit, Calibration& result)
{
    constexpr double near = 1e-3;
    for (const FitConstant& constant : fit.constants()) {
        const double reached = constant.of(result.cluster);
        if (reached >= constant.most * (1.0 - near) || reached <= constant.least * (1.0 + near))
            result.notes.push_back(
                constant.key + " ends at the limit of what is tried, " + formatPlain(reached, 4)
                + ": these measurements do not fit the law of times, or the scenario is not "
                  "theirs");
    }
}

void noteOddities(const Fit& fit, Calibration& result)
{
    for (const FittedConstant& constant : result.constants)
        if (constant.key.ends_with("_efficiency") && constant.fitted > 1.1)
            result.notes.push_back(constant.key
                                   + " is above 1: the cluster's nominal figure is smaller than what was "
                                     "measured; is it right?");
    noteLimits(fit, result);
    if (result.rows.size() < 2 * fit.constants().size() + 1)
        result.notes.push_back("few measurements for so many constants: the fit says little about others");
}

// What was fitted to measurements is not inferred any more.
void noteMeasured(Calibration& result)
{
    CollectiveLaw& law = result.cluster.collectives;
    for (const FittedConstant& constant : result.constants) {
        law.intra_inferred = law.intra_inferred && constant.key != "cluster.collectives.intra_efficiency";
        law.inter_inferred = law.inter_inferred && constant.key != "cluster.collectives.inter_efficiency";
    }
}

} // namespace

MeanError meanError(const Calibration& calibration, bool of_iterations)
{
    MeanError mean;
    double left_out = 0.0;
    int told = 0;
    for (const CalibrationRow& row : calibration.rows) {
        if (row.is_iteration != of_iterations)
            continue;
        ++mean.rows;
        mean.before += missOf(row.before_s, row.measured_s);
        mean.fitted += missOf(row.fitted_s, row.measured_s);
        left_out += row.left_out_s ? missOf(*row.left_out_s, row.measured_s) : 0.0;
        told += row.left_out_s ? 1 : 0;
    }
    if (mean.rows > 0) {
        mean.before /= mean.rows;
        mean.fitted /= mean.rows;
    }
    if (told > 0)
        mean.left_out = left_out / told;
    return mean;
}

Result<Calibration> calibrate(const Cluster& cluster, const std::vector<CalibrationPoint>& points,
                              const std::atomic<bool>* stop)
{
    Calibration result;
    const Points kept = usable(cluster, points, result.notes);
    if (kept.empty())
        return Error{points.empty() ? "there is nothing to fit to: no times of iterations, and none of "
                                      "collectives of known size and group that several ranks recorded"
                                    : "nothing can be fitted: " + result.notes.front()};
    const auto [fit, fitted] = explain(cluster, kept, stop);
    if (fit.constants().empty())
        return Error{"nothing can be fitted: these times hardly follow any constant of the cluster"};
    result.cluster = fitted;
    result.cluster.preset.clear();
    Cluster before = cluster;
    for (const FitConstant& constant : fit.constants())
        result.constants.push_back({constant.key, constant.of(before), constant.of(result.cluster)});
    noteMeasured(result);
    noteSwitch(cluster, result);
    for (const CalibrationPoint& point : kept) {
        CalibrationRow row{point.what,
                           point.step.has_value(),
                           point.measured_s,
                           *predictedTime(point, cluster),
                           *predictedTime(point, result.cluster),
                           std::nullopt};
        result.rows.push_back(row);
    }
    result.error_before = meanMiss(cluster, kept);
    result.error_fitted = meanMiss(result.cluster, kept);
    leaveOut(fit, kept, result);
    if (fit.isStopped())
        return Error{"stopped"};
    judge(cluster.calibrated, kept, result);
    noteOddities(fit, result);
    return result;
}

} // namespace shardscope

#pragma once

#include "core/base/result.h"
#include "core/prediction/time/collective_prediction.h"
#include "core/scenario/scenario.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// One measured time that a cluster's constants should explain: of a collective by itself, or of a whole
// iteration. Exactly one of the two is there.
struct CalibrationPoint {
    std::string what; // "all_reduce of 16 MiB over 8 ranks", or the row's own name
    double measured_s = 0.0;
    std::optional<CollectiveQuestion> collective; // of one size
    std::optional<Scenario> step;                 // whose cluster gives way to the fitted one
};

// A constant of the cluster that was fitted.
struct FittedConstant {
    std::string key; // as in the scenario: "cluster.collectives.intra_efficiency"
    double before = 0.0;
    double fitted = 0.0;
};

// A point's time under the constants before, under those of the fit, and under those of a fit that did not
// see it.
struct CalibrationRow {
    std::string what;
    bool is_iteration = false; // else a collective by itself
    double measured_s = 0.0;
    double before_s = 0.0;
    double fitted_s = 0.0;
    // Nothing: too few points to leave one out, or it is the only iteration or the only collective.
    std::optional<double> left_out_s;
};

// A cluster's constants fitted to measured times, and how much nearer that brings the predictions.
struct Calibration {
    // The given one with the constants found, without a preset's name. Calibrated if it was, or if the fit
    // covers computing and holds for iterations that it did not see. Fitted to iterations, its error bands
    // are the fit's for the time model that they were fitted with; the other one's are those that ship, or
    // wider where these iterations tell so.
    Cluster cluster;
    std::vector<FittedConstant> constants;
    std::vector<CalibrationRow> rows;
    // Mean of |predicted / measured - 1| over the rows; left out, over those that have such a time.
    double error_before = 0.0;
    double error_fitted = 0.0;
    std::optional<double> error_left_out;
    int folds = 0; // parts that were left out in turn; the number of points: one at a time
    std::vector<std::string> notes;
    // It explains nothing, or is worse than the constants before on what it did not see; a note says which.
    bool is_doubtful = false;
};

// The mean of |predicted / measured - 1| over rows of one sort; left out, over those that have such a time.
struct MeanError {
    int rows = 0;
    double before = 0.0;
    double fitted = 0.0;
    std::optional<double> left_out;
};
MeanError meanError(const Calibration& calibration, bool of_iterations);

// Fits the few constants that the points can tell apart, from the cluster's own on. Which: bandwidth and
// latency inside a node, across nodes, of all_reduce and of rings, and the blend, each only where points of
// its sort are there; of iterations, mu (Li et al.) or the up to four constants that their times follow most,
// of one alone the one of computing. Points are left out one at a time up to 12 of them, else in five parts,
// on threads of their own. Error: no point can be predicted, none follows a constant, or `stop` became true
// ("stopped").
Result<Calibration> calibrate(const Cluster& cluster, const std::vector<CalibrationPoint>& points,
                              const std::atomic<bool>* stop = nullptr);

} // namespace shardscope

#pragma once

#include "core/analysis/calibration/calibration.h"

#include <functional>
#include <optional>
#include <vector>

namespace shardscope
{

// A constant that a fit may move.
struct FitConstant {
    std::string key; // as in the scenario
    std::function<double&(Cluster&)> of;
    double least = 0.0;
    double most = 0.0;
};

// The point's time on this cluster; nothing: its configuration cannot be trained.
std::optional<double> predictedTime(const CalibrationPoint& point, const Cluster& cluster);

// Those that these points can tell apart, most telling first; never more than a third of the points, but
// one.
std::vector<FitConstant> constantsFor(const Cluster& cluster, const std::vector<CalibrationPoint>& points);

} // namespace shardscope

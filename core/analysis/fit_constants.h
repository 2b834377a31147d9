#pragma once

#include "core/analysis/calibration.h"

#include <functional>
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

// Those that these points can tell apart, most telling first; never more than a third of the points, but
// one.
std::vector<FitConstant> constantsFor(const Cluster& cluster, const std::vector<CalibrationPoint>& points);

} // namespace shardscope

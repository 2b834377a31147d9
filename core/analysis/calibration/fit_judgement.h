#pragma once

#include "core/analysis/calibration/calibration.h"

#include <string_view>
#include <vector>

namespace shardscope
{

// |predicted / measured - 1|
double missOf(double predicted_s, double measured_s);

// Whether a constant says how fast the cluster computes; collectives by themselves tell none of these.
bool isOfComputing(std::string_view key);

// Whether no other point is of its sort, an iteration or a collective: a fit that does not see it says
// nothing of it.
bool isAlone(const CalibrationPoint& point, const std::vector<CalibrationPoint>& points);

// Puts into the fitted cluster whether it is calibrated now and how far off its times of iterations may be,
// and notes on what the fit is worth. Pre: the result has its constants and a row for each point.
void judge(bool was_calibrated, const std::vector<CalibrationPoint>& points, Calibration& result);

} // namespace shardscope

#pragma once

#include "core/analysis/calibration/calibration.h"

#include <string>

namespace shardscope
{

// A fit with the scenario that it belongs to, resolved: constants before and after, every measurement with
// its residuals, the error on what was left out. As JSON and as tables for people.
std::string calibrationJson(const Scenario& scenario, const Calibration& calibration, int indent = 2);
std::string calibrationText(const Calibration& calibration);
// Where the constants of a saved fit are from: which were fitted, to how many measurements, how well.
std::string calibrationSource(const Calibration& calibration);

} // namespace shardscope

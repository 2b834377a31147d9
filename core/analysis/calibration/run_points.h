#pragma once

#include "core/analysis/calibration/calibration_points.h"

#include <string>
#include <vector>

namespace shardscope
{

// All that traces and logs of a run give to fit to: its timed collectives, and the scenario with the time
// that an iteration took. That is a log's, else that of the traces where the run sent the scenario's
// messages, all and no more: then whole iterations were recorded, of this model in this layout. Notes say
// where the times are from, why the iteration is not used, and what was skipped in the files.
std::vector<CalibrationPoint> pointsOfRun(const TraceSet& traces, const Measurement& measurement,
                                          const Scenario& scenario, const MeasuredGroups& groups,
                                          std::vector<std::string>& notes);

} // namespace shardscope

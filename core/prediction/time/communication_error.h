#pragma once

#include "core/prediction/prediction.h"
#include "core/prediction/time/stage_communication.h"

#include <array>
#include <vector>

namespace shardscope
{

// An iteration that is mostly exposed communication is no surer than its calls, whatever the published steps
// lie within, which are mostly compute: `band`, or the error of the calls as a share of the iteration, where
// that is wider. `stage`: that works longest, whose parts `time` has. No band stays none.
std::array<double, 2> withCommunicationError(const std::array<double, 2>& band,
                                             const StageCommunication& stage, const TimePrediction& time);

// The same of an iteration that nobody played and that takes `least_s` or longer: its band is no wider.
std::array<double, 2> withMostCommunicationError(const std::array<double, 2>& band,
                                                 const std::vector<StageCommunication>& stages,
                                                 double least_s);

} // namespace shardscope

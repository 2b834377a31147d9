#pragma once

#include "core/prediction/time/pipeline_simulation.h"
#include "core/prediction/time/stage_communication.h"
#include "core/prediction/time/time_model.h"

#include <vector>

namespace shardscope
{

// Puts into `time`, of which all but its summary is known, where an iteration's time goes: the parts of the
// stage that works longest, its waiting, and what it hides. `stages`: communication of each.
void summarize(IterationTime& time, const PipelineRun& run, const IterationFigures& figures,
               const Prediction& prediction, const std::vector<StageCommunication>& stages);

} // namespace shardscope

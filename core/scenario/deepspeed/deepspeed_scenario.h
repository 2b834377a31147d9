#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

struct DeepSpeedSettings;

// The scenario of a run that DeepSpeed trains with this configuration: model and cluster stay, and the number
// of GPUs where the sizes of batches do not tell it. What could not be taken is said in `notes`.
Scenario withDeepSpeed(const Scenario& base, const DeepSpeedSettings& settings,
                       std::vector<std::string>& notes);

// The part that no argument of Megatron-DeepSpeed says, laid over the run that its arguments start: formats,
// offload, and how ZeRO sends. The run has the stage already; `is_pipeline`: its model is a PipelineModule,
// maybe of one stage.
void layOverRun(Scenario& run, const DeepSpeedSettings& settings, bool is_pipeline,
                std::vector<std::string>& notes);

} // namespace shardscope

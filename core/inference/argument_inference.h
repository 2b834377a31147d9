#pragma once

#include "core/inference/infer.h"

namespace shardscope
{

// Whether a file of the run lists the arguments that it was started with, as logs of Megatron-LM do.
bool listsArguments(const TraceSet& traces);

// The scenario of these arguments, held against the messages of the traces and against the log's counts of
// parameters. Its cluster is base's. Error: the arguments are not those of a run that a scenario can say.
Result<Inference> inferByArguments(const TraceSet& traces, const ClassificationRules& rules,
                                   const Scenario& base, const std::atomic<bool>* stop);

} // namespace shardscope

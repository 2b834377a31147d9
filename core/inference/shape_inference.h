#pragma once

#include "core/inference/infer.h"

namespace shardscope
{

// The scenario that the shapes of the ranks' operators show, with the choices of what they do not tell whose
// messages explain the recorded ones best. Its cluster is base's. Error: no rank's operators tell layers, or
// `stop` became true.
Result<Inference> inferByShapes(const TraceSet& traces, const ClassificationRules& rules,
                                const Scenario& base, const std::atomic<bool>* stop);

} // namespace shardscope

#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/time/operator_time.h"

namespace shardscope
{

// A micro-batch's gradients of these parameters added to those of the ones before it, the mean over all of
// them.
Seconds accumulation(const LayerParameters& parameters, const IterationFigures& figures,
                     const OperatorTime& operators);

} // namespace shardscope

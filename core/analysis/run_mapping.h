#pragma once

#include "core/analysis/measurement.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// The scenario's degrees, with ranks where they stood in the run as far as that is known to differ.
inline Parallel asInTheRun(Parallel parallel, const Measurement& run)
{
    parallel.rank_order = run.other_order.value_or(parallel.rank_order);
    return parallel;
}

} // namespace shardscope

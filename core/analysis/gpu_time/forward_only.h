#pragma once

#include "core/trace/trace_set.h"

namespace shardscope
{

// Whether traces have PyTorch's operators, and none of a backward pass: an evaluation, or a part of a step.
bool isForwardOnly(const TraceSet& traces);

} // namespace shardscope

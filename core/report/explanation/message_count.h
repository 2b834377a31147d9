#pragma once

#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"

namespace shardscope
{

// How often a message runs in an iteration, factor by factor: "m * layers * (c - 1)".
Product countOf(const Message& message, const ExplainedRun& run, const StageShape& shape);

} // namespace shardscope

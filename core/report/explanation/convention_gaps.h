#pragma once

#include "core/report/explanation/explanation_parts.h"

#include <string>

namespace shardscope
{

// What the papers' formulas give for the class of this message, and why the stage's rank sends another
// amount: a line each; empty where they agree or have no formula.
std::string conventionGaps(const Message& message, const ExplainedRun& run, const StageShape& shape);

} // namespace shardscope

#pragma once

#include "core/analysis/classification/classification.h"
#include "core/trace/trace_set.h"

#include <string>

namespace shardscope
{

// Tells rules, and what the program makes of them, from others, in a few letters.
std::string rulesMark(const ClassificationRules& rules);

// A small summary that analyze() answers the same for as for the file itself, as long as the rules are the
// same: the digest's events, figures and calls are filled in, where the source lies is left to the caller. A
// file that is a digest already stays what it is.
TraceFile digestOf(const TraceFile& file, const ClassificationRules& rules);

} // namespace shardscope

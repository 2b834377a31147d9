#pragma once

#include "core/analysis/comparison.h"
#include "core/analysis/measurement.h"
#include "core/trace/trace_set.h"

#include <string>

namespace shardscope
{

// The trace summary format, as JSON text and as tables for people.
std::string traceJson(const TraceSet& traces, const Measurement& measurement, int indent = 2);
std::string traceText(const TraceSet& traces, const Measurement& measurement);

std::string comparisonJson(const Comparison& comparison, int indent = 2);
std::string comparisonText(const Comparison& comparison);

} // namespace shardscope

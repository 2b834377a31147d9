#pragma once

#include "core/analysis/activity.h"
#include "core/analysis/comparison.h"
#include "core/analysis/measurement.h"
#include "core/analysis/operator_scaling.h"
#include "core/trace/trace_set.h"

#include <optional>
#include <span>
#include <string>

namespace shardscope
{

// The trace summary format, as JSON text and as tables for people.
struct TraceReportOptions {
    bool kernels = false; // each rank's kernels by name: the JSON has them all, the text the longest
    // What is known of the ranks' activity, by rank. With details the text has streams, launches, copies and
    // operators as well; the JSON always does.
    std::span<const RankActivity> activity = {};
    bool details = false;
    std::optional<Resizing> resizing = {}; // an iteration at another size as well
    int indent = 2;                        // < 0: one compact line
};
std::string traceJson(const TraceSet& traces, const Measurement& measurement,
                      const TraceReportOptions& options = {});
std::string traceText(const TraceSet& traces, const Measurement& measurement,
                      const TraceReportOptions& options = {});

std::string comparisonJson(const Comparison& comparison, int indent = 2);
std::string comparisonText(const Comparison& comparison);

} // namespace shardscope

#pragma once

#include "core/analysis/classification.h"
#include "core/analysis/interval_union.h"
#include "core/analysis/measurement.h"

namespace shardscope
{

// When each class of events ran, and from the first start to the last end of them all.
struct BusyTimes {
    IntervalUnion compute;
    IntervalUnion communication;
    IntervalUnion memory;
    Interval window; // empty where nothing is counted
};

BusyTimes busyTimes(const TraceStore& store, const EventClasses& classes);

// Adds one file's times and counts to its rank: window, busy, idle and the rest, as the trace summary format
// defines them. Files of one rank add up.
void addBreakdown(const TraceStore& store, const EventClasses& classes, const BusyTimes& times,
                  RankMeasurement& rank);

} // namespace shardscope

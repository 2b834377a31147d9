#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/gpu_time/interval_union.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/analysis/measurement.h"

#include <vector>

namespace shardscope
{

// When each class of events ran, and from the first start to the last end of them all.
struct BusyTimes {
    IntervalUnion compute;
    IntervalUnion communication;
    IntervalUnion memory;
    Interval window; // empty where nothing is counted
    std::int64_t compute_count = 0;
    std::int64_t communication_count = 0;
    std::int64_t memory_count = 0;
    bool on_gpu = false;
};

BusyTimes busyTimes(const TraceStore& store, const EventClasses& classes);

// Adds one file's times and counts to its rank: window, busy, idle and the rest, as the trace summary format
// defines them. Files of one rank add up.
void addBreakdown(const BusyTimes& times, BreakdownTimes& rank);
// The same of times that are known already: a file's digest, a step.
void addTimes(const BreakdownTimes& times, BreakdownTimes& sum);

// Of each step, in their order.
std::vector<BusyTimes> stepTimes(const TraceStore& store, const EventClasses& classes,
                                 const std::vector<ProfilerStep>& steps, const StepOfEvents& step_of);

// The same for each profiler step, by start. The window of a step goes from the first start to the last end
// of what belongs to it (see StepOfEvents), so windows of neighbours may overlap. Nothing where no steps are
// marked.
std::vector<StepMeasurement> stepBreakdowns(const TraceStore& store, const EventClasses& classes,
                                            const std::vector<ProfilerStep>& steps,
                                            const StepOfEvents& step_of);

// Steps that another file of the same rank has; of one that both have the first holds.
void addSteps(std::vector<StepMeasurement>& steps, std::vector<StepMeasurement> others);

} // namespace shardscope

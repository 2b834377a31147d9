#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/gpu_time/interval_union.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/analysis/measurement.h"

#include <limits>
#include <vector>

namespace shardscope
{

inline constexpr Interval all_time{std::numeric_limits<TraceTime>::min(),
                                   std::numeric_limits<TraceTime>::max()};

// The counted events (compute, communication, memory) of a store by name, longest sum first. Of a range of
// time those that run in it, each with its whole duration.
std::vector<KernelRow> kernelTable(const TraceStore& store, const EventClasses& classes,
                                   Interval range = all_time);

// Of each profiler step, by its row in the list of steps.
std::vector<std::vector<KernelRow>> stepKernels(const TraceStore& store, const EventClasses& classes,
                                                const StepOfEvents& step_of, std::size_t steps);

// Adds the rows of another file of the same rank.
void addKernels(std::vector<KernelRow>& kernels, const std::vector<KernelRow>& others);

} // namespace shardscope

#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/analysis/measurement.h"

#include <vector>

namespace shardscope
{

// The counted events (compute, communication, memory) of a store by name, the longest time of their own
// first.
std::vector<KernelRow> kernelTable(const TraceStore& store, const EventClasses& classes);

// Of each profiler step, by its row in the list of steps.
std::vector<std::vector<KernelRow>> stepKernels(const TraceStore& store, const EventClasses& classes,
                                                const StepOfEvents& step_of, std::size_t steps);

// Adds the rows of another file of the same rank.
void addKernels(std::vector<KernelRow>& kernels, const std::vector<KernelRow>& others);

} // namespace shardscope

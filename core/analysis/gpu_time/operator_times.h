#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/gpu_time/breakdown.h"
#include "core/trace/trace_store.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// What the time of a GPU went to, as Cheng et al. (POMACS 2024) split a trace: communication first, also
// where it runs beside compute; then kernels; the rest is dispatch. Copies and fills that run alone are kept
// apart. The parts add up to the window. The paper does not say in which thread it looks for operators; here
// any thread counts, and a wait for the GPU within an operator counts as that operator's.
struct TimeDistribution {
    std::int64_t window_ns = 0;
    std::int64_t communication_ns = 0;
    std::int64_t kernel_ns = 0;
    std::int64_t memory_ns = 0;
    std::int64_t intra_operator_ns = 0; // the GPU waits while the CPU is within an operator
    std::int64_t inter_operator_ns = 0; // ... and between operators: Python, the framework, the data loader
    // k1 of the paper's performance model: the share of kernels in compute time; 0 where there is none.
    double kernelShare() const;
};

// The operators of one name on the CPU, over all threads.
struct OperatorRow {
    std::string name;
    std::int64_t calls = 0;
    std::int64_t total_ns = 0; // inner operators included, a call within a call of its own name counted once
    std::int64_t self_ns = 0;  // inner operators taken out, calls of the runtime not
    std::int64_t launches = 0; // made by itself
    std::int64_t gpu_ns = 0;   // durations of what these started
    std::int64_t gpu_idle_ns = 0; // of self_ns, while the GPU had no work: intra-operator dispatch
};

TimeDistribution timeDistribution(const TraceStore& store, const EventClasses& classes,
                                  const BusyTimes& times);

// Longest self_ns first (Table 6 of Cheng et al. ranks the operators by their time on the CPU). Events that
// the classes count as other are left out.
std::vector<OperatorRow> operatorTimes(const TraceStore& store, const EventClasses& classes,
                                       const BusyTimes& times);

} // namespace shardscope

#pragma once

#include "tests/core/prediction/small_scenario.h"

#include <cmath>

namespace shardscope
{

// A GPU that multiplies one operation and moves one byte in a picosecond, whatever the shape, so that times
// are counts. Nothing is lost at its start, nor waited for.
inline Cluster countingCluster()
{
    Cluster cluster;
    cluster.peak_tflops = 1.0;
    cluster.memory_bandwidth_GBps = 1000.0;
    ComputeLaw& law = cluster.compute;
    law.gemm_efficiency = law.memory_efficiency = law.attention_efficiency = law.fp32_speedup = 1.0;
    law.biased_attention_efficiency = 0.25;
    law.gemm_lost_waves = law.kernel_us = law.dispatch_us = 0.0;
    return cluster;
}

// GPT on one GPU: h 64, 4 heads of 16, f 256, 64 tokens in 2 sequences; 2-byte numbers.
inline Scenario gpt()
{
    Scenario scenario = small(1, 1, 1);
    scenario.training.precision = Precision::fp16;
    scenario.cluster = countingCluster();
    return scenario;
}

inline long long counts(double seconds)
{
    return std::llround(seconds * 1e12);
}

} // namespace shardscope

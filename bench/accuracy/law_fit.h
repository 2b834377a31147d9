#pragma once

#include "bench/accuracy/truth_cases.h"

#include <map>
#include <string>
#include <vector>

namespace shardscope
{

// The constants that published training steps determine: a law for each type of GPU, and how much memory
// traffic the frameworks' operators cause.
struct Laws {
    std::map<std::string, ComputeLaw> gpus;
    double deepspeed_traffic = 1.0;
    double pytorch_traffic = 1.0;
};

// As the presets and defaults of the cases have them.
Laws lawsOf(const std::vector<TruthCase>& cases);

// Predicted seconds of one iteration under these laws; 0 when the scenario is refused.
double predictedTime(TruthCase& entry, const Laws& laws);

// Finds the constants by coordinate descent on the absolute logarithm of predicted over measured time; a
// source weighs as the square root of its cases, so that sweeps of one machine do not rule. Nothing belongs
// to single cases, models or sources.
Laws fitLaws(std::vector<TruthCase> cases, Laws start, int rounds);

// "gemm_efficiency 0.82, ...": those that the fit may change.
std::string describe(const Laws& laws);

} // namespace shardscope

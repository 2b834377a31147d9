#pragma once

#include "bench/accuracy/truth_cases.h"

#include <map>
#include <set>
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

// Predicted seconds of one iteration under these laws.
double predictedTime(const TruthCase& entry, const Laws& laws);
// By Li et al.'s formula, which has none of them.
double predictedTimeOfLi(const TruthCase& entry);

// Finds the constants of the types of GPU in `gpus` (all, when it is empty) by coordinate descent on the
// absolute logarithm of predicted over measured time, with a pull towards where they began; a source weighs
// as the square root of its cases, so that sweeps of one machine do not rule. Nothing belongs to single
// cases, models or sources. A type of GPU begins with the constants of the type before it, and keeps them
// where it has no case: that is what "carried over" means. `presets` gives what is not found anew.
Laws fitLaws(const std::vector<TruthCase>& cases, const Laws& presets,
             const std::set<std::string>& gpus = {});

// Cases that fit in a reasonable time: of sweeps on one node every eighth.
std::vector<TruthCase> casesForFit(const std::vector<TruthCase>& cases);

// The law of a type of GPU as if nothing of it had ever been measured: the constants of the type before it.
Laws carriedOver(const Laws& laws, const std::string& gpu);

// "gemm_efficiency 0.82, ...": those that the fit may change.
std::string describe(const Laws& laws);

} // namespace shardscope

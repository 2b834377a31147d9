#pragma once

#include "bench/accuracy/truth_cases.h"

#include <vector>

namespace shardscope
{

// How well predictions put the layouts of a sweep in order.
struct Ordering {
    int groups = 0;        // of at least four layouts of one model, source, GPU, precision and number of GPUs
    double spearman = 0.0; // mean over the groups
    int near_best = 0;     // groups whose predicted best takes at most 5 % longer than the measured best
};

// By time for each token; `predicted_s` has a time for each case.
Ordering orderingOf(const std::vector<TruthCase>& cases, const std::vector<double>& predicted_s);

} // namespace shardscope

#pragma once

#include "bench/accuracy/collective_curves.h"
#include "bench/accuracy/partial_steps.h"
#include "bench/accuracy/truth_cases.h"
#include "bench/accuracy/unseen_steps.h"

#include <vector>

namespace shardscope
{

// What is held against predictions without ever having been fitted to.
struct PublishedRuns {
    std::vector<TruthCase> schedules;
    std::vector<TruthCase> experts;
    std::vector<TruthCase> memory;
    std::vector<UnseenStep> unseen;
    PartialSteps partial;
    CollectiveCurves curves;
};

} // namespace shardscope

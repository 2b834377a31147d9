#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// Changes that make a scenario fit: of settings (recomputation, sequence parallelism, a next ZeRO stage, a
// smaller micro-batch, more expert ranks), up to three together, those with the shortest predicted iteration,
// few where more gain little. Where none suffice, in turn: more tensor or pipeline ranks on the same GPUs,
// the optimizer on the host, as many of these as it takes. What leaves the device nearly full is advised only
// where nothing leaves more room.
struct MemoryAdvice {
    Scenario scenario;
    std::vector<std::string> changes; // "full recomputation"; empty: nothing of this makes it fit
    std::int64_t device_bytes = 0;
    double iteration_s = 0.0;    // then; 0: not predicted, as its schedule is long
    bool is_nearly_full = false; // a usual error of the prediction would be too much
    // Messages travel beside computing that did not, as they do by default with these changes.
    bool overlaps_more = false;
};

// Nothing where the scenario fits as it is, or cannot be predicted.
std::optional<MemoryAdvice> adviseMemory(const Scenario& scenario);

} // namespace shardscope

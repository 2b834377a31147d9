#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// Changes that make a scenario fit, as few of them as are needed: one alone if one suffices, the gentlest
// first (selective or full recomputation, the next ZeRO stages, a smaller micro-batch, more tensor
// or pipeline ranks on the same GPUs, the optimizer on the host), else several.
struct MemoryAdvice {
    Scenario scenario;
    std::vector<std::string> changes; // "recompute full"; empty: nothing of this makes it fit
    std::int64_t device_bytes = 0;
};

// Nothing where the scenario fits as it is, or cannot be predicted.
std::optional<MemoryAdvice> adviseMemory(const Scenario& scenario);

} // namespace shardscope

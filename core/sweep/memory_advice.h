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
// or pipeline ranks on the same GPUs, the optimizer on the host), else several. What leaves the device nearly
// full is advised only where nothing leaves more room.
struct MemoryAdvice {
    Scenario scenario;
    std::vector<std::string> changes; // "recompute full"; empty: nothing of this makes it fit
    std::int64_t device_bytes = 0;
    bool is_nearly_full = false; // a usual error of the prediction would be too much
};

// Nothing where the scenario fits as it is, or cannot be predicted.
std::optional<MemoryAdvice> adviseMemory(const Scenario& scenario);

} // namespace shardscope

#pragma once

#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

enum class MemoryAxis : std::uint8_t { sequence_length, micro_batch_size };

// The fullest stage of the scenario with another length of sequence or another micro-batch.
struct MemoryPoint {
    std::int64_t value = 0;
    StageMemory fullest;
    bool fits = false;
};

struct MemorySweep {
    std::vector<MemoryPoint> points; // doubling, with the scenario's own and `largest` among them
    std::int64_t largest = 0; // the largest value that fits, in steps that the layout allows; 0: none does
    std::int64_t capacity_bytes = 0;
};

// The scenario with `value` on that axis. The number of micro-batches stays as it is.
Scenario withMemoryAxis(Scenario scenario, MemoryAxis axis, std::int64_t value);

// Memory over one axis up to where it is twice what a GPU has (Cheng et al. 2024 draw it over the batch). The
// model's weights stay, but for learned positions. Empty for a list of tensors and for what cannot be
// predicted.
MemorySweep sweepMemory(const Scenario& scenario, MemoryAxis axis);

} // namespace shardscope

#pragma once

#include "core/analysis/measurement.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// What a rank's GPU held at most beside what its stage was predicted to need.
struct ComparedMemory {
    RankMemory measured;
    int stage = 0;
    std::int64_t predicted_allocated_bytes = 0;
    std::int64_t predicted_reserved_bytes = 0;
};

// The fullest rank of a stage, by tensors and by what the allocator reserved. Nothing: no rank of it tells.
struct StagePeaks {
    int stage = 0;
    std::optional<ComparedMemory> allocated;
    std::optional<ComparedMemory> reserved;
};

// Measured memory over a prediction.
struct MemoryComparison {
    std::vector<ComparedMemory> ranks; // by rank
    std::string
        problem; // why what was measured, or a part of it, stands beside no prediction; empty: all does

    std::vector<StagePeaks> stages() const; // that ranks tell of, ascending
};

// Where the run has as many ranks as the scenario. A rank that nothing names has its place where there is one
// stage alone. Nothing, without a problem, where no memory was measured.
MemoryComparison compareMemory(const Scenario& scenario, const Prediction& prediction, const TraceSet& traces,
                               const Measurement& measurement);

} // namespace shardscope

#pragma once

#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace shardscope
{

using MemorySuffices = std::function<bool(const MemoryPrediction& memory, const Cluster& cluster)>;
// That it suffices and is not nearly full.
bool fitsWithRoom(const MemoryPrediction& memory, const Cluster& cluster);

// Full recomputation costs a forward pass for each layer that is computed again: of the first layers of each
// virtual stage, the fewest with which the memory suffices. Nothing where all of them have to be, or none,
// and where it cannot be predicted. Takes a prediction of memory for each halving of their number.
std::optional<std::int64_t> fewestLayersAgain(const Scenario& scenario, const MemorySuffices& suffices);

} // namespace shardscope

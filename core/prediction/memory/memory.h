#pragma once

#include "core/prediction/model/stage_layout.h"
#include "core/prediction/prediction.h"

#include <vector>

namespace shardscope
{

// Bytes of optimizer state for each parameter: the copy of the weight, and adam's two moments or the momentum
// of sgd. By default adam has 12, sgd 8 (in fp32 training 8 and 4).
std::int64_t optimizerBytesPerParameter(const Training& training);

// A GPU sold with 80 GB holds 80 * 2^30 bytes (nvidia-smi: 81,920 MiB on an A100).
std::int64_t capacityBytes(const Cluster& cluster);

// True above 95 % of the capacity: predictions are off by 4 to 5 % on average against published runs, so that
// what fits by less may run out of memory all the same.
bool isNearlyFull(std::int64_t device_bytes, const Cluster& cluster);

// Weights, gradients, optimizer states (Rajbhandari et al. 2020, section 5) and activations of one rank of
// each stage. The optimizer is sharded by ZeRO 1, gradients by 2, weights by 3; what is whole for a moment is
// counted with them.
MemoryPrediction predictMemory(const IterationFigures& figures, const std::vector<StageShape>& stages);

} // namespace shardscope

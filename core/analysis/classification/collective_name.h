#pragma once

#include "core/collectives/collective.h"

#include <cstdint>
#include <string_view>

namespace shardscope
{

// The operation that a trace's name stands for: "allreduce", "_allgather_base", "nccl:all_gather",
// "gloo:recv", "nccl:send 0->3", "reduce_scatter_tensor_coalesced",
// "ncclDevKernel_AllReduce_Sum_f16_RING_LL(...)". other where the name does not tell
// ("ncclDevKernel_Generic", "ncclKernel_SendRecv": an all_to_all or a pipeline message).
Op opFromName(std::string_view name);

// What one call is given, as wireBytes() counts it, from what the rank puts in and gets out (-1: not told).
// group_size 0 is unknown. -1 where it cannot be told.
std::int64_t messageBytes(Op op, std::int64_t in_bytes, std::int64_t out_bytes, std::int64_t group_size);

} // namespace shardscope

#pragma once

#include "core/collectives/collective.h"

namespace shardscope
{

// Bytes that each rank of a ring sends for one call: of the message all_reduce sends 2(n-1)/n, all_gather,
// reduce_scatter and all_to_all (n-1)/n, every other op all of it. nccl-tests' bus bandwidth is these bytes
// by the time. Pre: members >= 1; message_bytes as wireBytes() defines it.
double ringBytes(Op op, int members, double message_bytes);

} // namespace shardscope

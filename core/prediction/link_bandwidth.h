#pragma once

#include "core/base/quantity.h"
#include "core/prediction/rank_layout.h"

namespace shardscope
{

// Bandwidth of one rank in a group of that kind, derived from the cluster's links and the rank order: a ring
// within a node gets 0.80 of the GPU's link, one across nodes its part of the node's network, 0.95 of it with
// RDMA and 0.50 with TCP (fits to published nccl-tests curves). Pipeline neighbours count as across nodes
// when any pair is.
BytesPerSecond derivedBandwidth(const Cluster& cluster, const RankLayout& layout, Kind kind);

// Bytes over a bandwidth; a link without a figure takes no time.
Seconds transferTime(Bytes bytes, BytesPerSecond bandwidth);

} // namespace shardscope

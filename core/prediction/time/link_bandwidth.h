#pragma once

#include "core/base/quantity.h"
#include "core/collectives/group_bandwidth.h"
#include "core/prediction/ranks/rank_layout.h"

#include <array>
#include <optional>

namespace shardscope
{

// Bandwidth of one rank in a group of that kind, derived from the cluster's links and the rank order: a ring
// within a node gets 0.80 of the GPU's link, one across nodes its part of the node's network, 0.95 of it with
// RDMA and 0.50 with TCP (fits to published nccl-tests curves). Pipeline neighbours count as across nodes
// when any pair is. `straight_share`: straightShare() of what is sent by all_to_all.
BytesPerSecond derivedBandwidth(const Cluster& cluster, const RankLayout& layout, Kind kind,
                                double straight_share = 0.0);

// Of what a rank sends to the experts of others, or by Ulysses, the share that leaves its node; 0 of all
// other kinds, which go around rings or from stage to stage.
double straightShare(const Scenario& scenario, const RankLayout& layout, Kind kind);

// The same for many clusters with one layout: how each kind's groups lie on the nodes is found once.
class LayoutBandwidths
{
public:
    LayoutBandwidths(const Parallel& parallel, const Cluster& cluster);

    bool isOf(const Parallel& parallel, const Cluster& cluster) const;
    // Pre: the cluster's nodes have the GPUs of the one that was given. Kinds that rings carry, or stages.
    BytesPerSecond of(Kind kind, const Cluster& cluster);
    // ep and cp.
    BytesPerSecond ofStraight(Kind kind, const Scenario& scenario);

private:
    BytesPerSecond of(Kind kind, const Cluster& cluster, double straight_share);

    RankLayout m_layout;
    std::int64_t m_domain;
    std::array<std::optional<GroupSpread>, kind_count> m_spreads; // by Kind; found when asked for
};

// Bytes over a bandwidth; a link without a figure takes no time.
Seconds transferTime(Bytes bytes, BytesPerSecond bandwidth);

} // namespace shardscope

#pragma once

#include "core/collectives/collective_law.h"

#include <cstdint>
#include <string_view>

namespace shardscope
{

// What collectives usually reach on links of a kind ("nvlink4", "tcp"), for systems that nobody has measured:
// the constants of `law` that belong to the links inside a node, or to the network, become that kind's. Kinds
// without a measurement get those of the nearest kind that has one.
void takeIntraLink(CollectiveLaw& law, std::string_view kind);
void takeInterLink(CollectiveLaw& law, std::string_view kind);

// Whether half of a network's rate is the most that collectives reach, as over TCP: what Li et al.'s formula
// asks, which knows no adapters.
bool isHalfReached(std::string_view inter_node_kind);

// Others of a node that each GPU has links of their own to, so that two of them share but one of its links;
// 0: a switch, a ring or a bus joins the node. `GBps`: of one GPU, all its links together.
int meshPeers(std::string_view kind, double GBps, std::int64_t gpus_per_node);

} // namespace shardscope

#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/traffic/node_loads.h"

#include <span>
#include <vector>

namespace shardscope
{

// Cells of a matrix one by one, as a run has them; several may be of one pair.
struct CellsOfKind {
    Kind kind = Kind::unknown;
    std::vector<TrafficCell> cells;
};

// The links of each node with those cells. Ranks that send to each other belong to one group, and with
// `layout`, where it is of as many ranks, those of its groups too: not all have to be recorded. Cells do not
// tell what was sent in rings. But between stages and to experts all of them are shared among the members on
// a node, which is no more than the busiest of them has.
std::vector<NodeLoads> nodeLoads(std::span<const CellsOfKind> kinds, std::int64_t world, std::int64_t node,
                                 bool has_pairs, const RingAdapters& adapters, const RankLayout* layout);

} // namespace shardscope

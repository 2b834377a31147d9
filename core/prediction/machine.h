#pragma once

#include "core/base/quantity.h"
#include "core/collectives/collective_time.h"
#include "core/prediction/rank_layout.h"

namespace shardscope
{

// A cluster in base units, as the detailed time model sees it.
struct Machine {
    explicit Machine(const Cluster& cluster);

    FlopsPerSecond peak; // 16 bit
    BytesPerSecond memory;
    ComputeLaw law;
    Interconnect interconnect;
    int domain = 1; // GPUs that the links inside a node join
};

// How the groups of a kind lie on the machine's nodes; all groups of a kind lie alike.
Communicator communicatorOf(const RankLayout& layout, Kind kind, const Machine& machine);

// True when the ranks of a stage and those of the one after it share their nodes.
bool nextStageIsNear(const RankLayout& layout, int stage, const Machine& machine);

} // namespace shardscope

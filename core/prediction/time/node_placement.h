#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/time/machine.h"

namespace shardscope
{

// How the groups of a kind lie on the machine's nodes. Where they do not lie alike, as with three ranks in a
// group and eight on a node, it is that of the group with the least of the network: all wait for it.
Communicator communicatorOf(const RankLayout& layout, Kind kind, const Machine& machine);

// The links inside a node, or a rack that is one domain, join the ranks of each group of the kind.
bool staysOnNodes(const Scenario& scenario, Kind kind);

// The way from a stage to the one after it, for the ranks that have the longest.
struct StageWay {
    bool same_node = true;
    int sharing = 1;        // ranks of a node that send to others at the same time
    double pod_share = 0.0; // as that of a PodPlace
};
StageWay nextStageWay(const RankLayout& layout, int stage, const Machine& machine);

} // namespace shardscope

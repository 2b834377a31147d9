#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/time/machine.h"

namespace shardscope
{

// How the groups of a kind lie on pods. Groups that leave none: nothing. Of unlike pods the worst of the
// first few counts. Costs grow with the digits of the layout, and with a pod's ranks where groups are no
// whole ones.
PodPlace podPlaceOf(const RankLayout& layout, Kind kind, const Communicator& group, const Machine& machine);

// Of a group whose ranks fill node after node and pod after pod.
PodPlace podPlaceInOrder(const Communicator& group, const Machine& machine);

// What the ranks of a pod send to next stages in other pods at the same time, of what its nodes can send. 0
// where `stage` sends nothing out of its pod. `sharing`: ranks of a node that send.
double podShareOfWay(const RankLayout& layout, int stage, int sharing, const Machine& machine);

} // namespace shardscope

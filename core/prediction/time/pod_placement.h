#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/time/machine.h"

namespace shardscope
{

// How the groups of a kind lie on pods. Groups that leave none: nothing. Of unlike pods the one that most of
// the first few leave counts: there costs grow with the ranks of a pod, else with a group's members.
PodPlace podPlaceOf(const RankLayout& layout, Kind kind, const Communicator& group, const Machine& machine);

// Of a group whose ranks fill node after node and pod after pod.
PodPlace podPlaceInOrder(const Communicator& group, const Machine& machine);

// What the ranks of a pod send to next stages in other pods at the same time, of what its nodes can send. 0
// where `stage` sends nothing out of its pod. `sharing`: ranks of a node that send.
double podShareOfWay(const RankLayout& layout, int stage, int sharing, const Machine& machine);

} // namespace shardscope

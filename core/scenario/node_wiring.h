#pragma once

#include "core/scenario/scenario.h"

namespace shardscope
{

// GPUs of its node that a GPU has links of their own to; 0: a switch, or a ring, joins them.
int meshPeers(const Cluster& cluster);

// Its figures alone would tell another wiring than it has.
bool needsWiring(const Cluster& cluster);

// `cluster` is `base` with other bandwidths: it stays wired as that is, also where its figures alone would
// tell otherwise.
void keepWiring(Cluster& cluster, const Cluster& base);

} // namespace shardscope

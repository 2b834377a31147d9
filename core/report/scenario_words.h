#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// "tokens/s"; of a list of tensors, whose samples nobody knows to have any, "samples/s".
std::string throughputWord(const Model& model);
// "256 sequences of 2,048 tokens", "256 samples": what an iteration takes in.
std::string globalBatchText(const Scenario& scenario);
// "GPU", "node", "NIC": what each has the bandwidth of a link.
std::string bandwidthOwnerWord(BandwidthOf owner);
// "H100-SXM5-80GB, 8 a node, nvlink4 450 GB/s a GPU; infiniband 50 GB/s a GPU between nodes (dgx-h100)".
std::string clusterText(const Cluster& cluster);
// A line for below a table of times, where the cluster is not calibrated; else empty.
std::string calibrationNote(const Cluster& cluster);

} // namespace shardscope

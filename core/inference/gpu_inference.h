#pragma once

#include "core/inference/finding.h"
#include "core/scenario/presets.h"
#include "core/trace/trace_set.h"

#include <string>
#include <vector>

namespace shardscope
{

// The system that traces were recorded on, as far as they tell it, and what told it.
struct ClusterInference {
    Cluster cluster;
    Finding finding;
    std::vector<std::string> notes = {}; // figures that are another GPU's
};

// A profiler names the GPUs and tells their memory; links it does not tell, so they are those of the GPU's
// usual system. `assumed` stays where it has the same GPUs, where their figures are not known and where
// nothing names them. Processes without GPUs are on the processors' preset, which is not calibrated.
ClusterInference inferCluster(const TraceSet& traces, const Presets& presets, const Cluster& assumed);

} // namespace shardscope

#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/comparison.h"
#include "core/base/result.h"
#include "core/inference/finding.h"
#include "core/inference/parameter_comparison.h"
#include "core/scenario/presets.h"
#include "core/trace/trace_set.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

enum class InferredFrom : std::uint8_t { traces, script, job };

struct Inference {
    Scenario scenario;
    std::vector<Finding> findings;
    Comparison comparison;          // of the scenario's messages with those of the traces
    ParameterComparison parameters; // with those that a log has counted
    std::vector<std::string> notes; // what could not be found out
    // Of the script or the job configuration that starts the run, not of what one has recorded.
    InferredFrom from = InferredFrom::traces;
};

// The scenario that traces show. Where a log lists the arguments of its run, theirs. Else sizes and degrees
// from the shapes of each rank's operators (a profiler's record_shapes), what shapes do not tell from the
// messages that explain the recorded ones best; reads each file once more. The cluster is that of the
// profiler's GPUs, else `assumed` (null: the default one). Error: neither arguments nor operators tell
// layers, or `stop` became true.
Result<Inference> inferScenario(const TraceSet& traces, const ClassificationRules& rules,
                                const Presets& presets, const Cluster* assumed = nullptr,
                                const std::atomic<bool>* stop = nullptr);

} // namespace shardscope

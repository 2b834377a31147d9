#pragma once

#include "core/analysis/classification.h"
#include "core/analysis/comparison.h"
#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/trace/trace_set.h"

#include <atomic>
#include <string>
#include <vector>

namespace shardscope
{

// One figure of the inferred scenario: what tells it, and how sure that is.
struct Finding {
    std::string key; // of the scenario format: "parallel.tensor"
    std::string value;
    double confidence = 0.0; // 0.2 assumed, 0.6 the likeliest of several, 0.9 told, 0.99 the messages agree
    std::string evidence;
};

struct Inference {
    Scenario scenario;
    std::vector<Finding> findings;
    Comparison comparison;          // of the scenario's messages with those of the traces
    std::vector<std::string> notes; // what could not be found out
};

// The scenario that traces show: sizes and degrees from the shapes of each rank's operators (a profiler's
// record_shapes), what shapes do not tell from the messages that explain the recorded ones best. Dense
// transformers alone; the cluster is the default one. Reads each file once more. Error: no rank's operators
// tell layers, or `stop` became true.
Result<Inference> inferScenario(const TraceSet& traces, const ClassificationRules& rules,
                                const Presets& presets, const std::atomic<bool>* stop = nullptr);

} // namespace shardscope

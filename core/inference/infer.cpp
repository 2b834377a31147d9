#include "core/inference/infer.h"

#include "core/inference/argument_inference.h"
#include "core/inference/gpu_inference.h"
#include "core/inference/shape_inference.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <iterator>

namespace shardscope
{

Result<Inference> inferScenario(const TraceSet& traces, const ClassificationRules& rules,
                                const Presets& presets, const Cluster* assumed, const std::atomic<bool>* stop)
{
    const auto initial = readScenario("{}", presets);
    if (!initial)
        return initial.error();
    Scenario base = initial.value().scenario;
    const ClusterInference system = inferCluster(traces, presets, assumed ? *assumed : base.cluster);
    base.cluster = system.cluster;
    Result<Inference> inferred = listsArguments(traces) ? inferByArguments(traces, rules, base, stop)
                                                        : inferByShapes(traces, rules, base, stop);
    if (!inferred)
        return inferred.error();
    if (stop != nullptr && *stop)
        return Error{"stopped"};
    Inference& inference = inferred.value();
    if (const ModelPreset* preset = matchingPreset(inference.scenario.model, presets))
        inference.scenario.model.preset = preset->name;
    inference.findings.push_back(system.finding);
    std::ranges::copy(system.notes, std::back_inserter(inference.notes));
    if (system.finding.confidence == confidence::assumed)
        inference.notes.push_back("Predicted times are those of " + system.finding.value + ": "
                                  + system.finding.evidence + ".");
    return inferred;
}

} // namespace shardscope

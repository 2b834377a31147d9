#include "core/scenario/scenario_change.h"

#include "core/scenario/defaults.h"
#include "core/scenario/node_wiring.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace shardscope
{

namespace
{

// Anything may be typed, so products are formed as doubles and end here.
std::int64_t wholeBelowLimit(double value)
{
    return std::llround(std::clamp(value, 0.0, 1e15));
}

// What is left of the world for one dimension when the others take the product of `others`.
std::int64_t leftOf(std::int64_t gpus, std::initializer_list<std::int64_t> others)
{
    double product = 1.0;
    for (const std::int64_t size : others)
        product *= static_cast<double>(std::max<std::int64_t>(1, size));
    return std::max<std::int64_t>(1, wholeBelowLimit(std::floor(static_cast<double>(gpus) / product)));
}

} // namespace

std::int64_t boundedWorldSize(const Parallel& parallel)
{
    return wholeBelowLimit(static_cast<double>(parallel.pipeline) * static_cast<double>(parallel.tensor)
                           * static_cast<double>(parallel.context) * static_cast<double>(parallel.data));
}

Scenario withWorldSize(Scenario scenario, std::int64_t gpus)
{
    Parallel& parallel = scenario.parallel;
    parallel.data = leftOf(gpus, {parallel.pipeline, parallel.tensor, parallel.context});
    return scenario;
}

Scenario keepingWorldSize(Scenario scenario, std::int64_t gpus, Dimension moved)
{
    Parallel& parallel = scenario.parallel;
    if (moved != Dimension::dp)
        return withWorldSize(std::move(scenario), gpus);
    parallel.pipeline = leftOf(gpus, {parallel.data, parallel.tensor, parallel.context});
    if (parallel.pipeline == 1)
        parallel.tensor = leftOf(gpus, {parallel.data, parallel.context});
    return scenario;
}

Scenario withPrecision(Scenario scenario, Precision precision)
{
    if (precision == scenario.training.precision)
        return scenario;
    Training training = scenario.training;
    training.precision = precision;
    training.gradient_bytes = gradientBytesThere(scenario, scenario.conventions.framework, precision);
    scenario.conventions = conventionsThere(scenario, training, scenario.parallel);
    scenario.training = training;
    return scenario;
}

Scenario withFramework(Scenario scenario, Framework framework)
{
    Training& training = scenario.training;
    training.gradient_bytes = gradientBytesThere(scenario, framework, training.precision);
    scenario.conventions = defaultConventions(framework, scenario.model, training, scenario.parallel);
    return scenario;
}

Scenario withNodeBandwidth(Scenario scenario, double GBps)
{
    const Cluster before = scenario.cluster;
    scenario.cluster.intra_node.bandwidth_GBps = GBps;
    if (needsWiring(before)) // as an earlier move has left it
        scenario.cluster.node_wiring = NodeWiring::automatic;
    keepWiring(scenario.cluster, before);
    return scenario;
}

Scenario withModel(Scenario scenario, const ModelPreset& preset)
{
    scenario.model = preset.model;
    scenario.model.preset = preset.name;
    scenario.training.flash_attention = defaultFlashAttention(scenario.model);
    return scenario;
}

Scenario withCluster(Scenario scenario, const ClusterPreset& preset)
{
    scenario.cluster = preset.cluster;
    scenario.cluster.preset = preset.name;
    return scenario;
}

const ModelPreset* matchingPreset(const Model& model, const Presets& presets)
{
    for (const ModelPreset& preset : presets.models()) {
        Model named = preset.model;
        named.preset = model.preset;
        if (named == model)
            return &preset;
    }
    return nullptr;
}

const ClusterPreset* matchingPreset(const Cluster& cluster, const Presets& presets)
{
    for (const ClusterPreset& preset : presets.clusters()) {
        Cluster named = preset.cluster;
        named.preset = cluster.preset;
        if (named == cluster)
            return &preset;
    }
    return nullptr;
}

} // namespace shardscope

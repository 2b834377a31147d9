#include "core/scenario/scenario_change.h"

#include "core/scenario/defaults.h"
#include "core/scenario/node_wiring.h"
#include "core/scenario/validation/validation.h"

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

// Not for how the model is laid out; the batch may still not come out even for so many replicas.
bool canBeLaidOut(const Scenario& scenario)
{
    return std::ranges::none_of(validate(scenario), [](const Problem& problem) {
        return problem.field.starts_with("parallel.") && problem.field != "parallel.data";
    });
}

// The most up to `most` with which the model, of so many parts, can be laid out; where it never can, `most`.
void takeMostPossible(Scenario& scenario, std::int64_t Parallel::*degree, std::int64_t most,
                      std::int64_t parts)
{
    constexpr std::int64_t most_tried = 1024; // whatever is typed
    std::int64_t& size = scenario.parallel.*degree;
    for (size = std::min({most, parts, most_tried}); size >= 1; --size)
        if (canBeLaidOut(scenario))
            return;
    size = most;
}

// The one with these figures, whichever preset they are said to be of.
template<class Figures, class Preset>
const Preset* presetOf(const Figures& figures, Figures Preset::*part, const std::vector<Preset>& presets)
{
    const auto has_figures = [&](const Preset& preset) {
        Figures named = preset.*part;
        named.preset = figures.preset;
        return named == figures;
    };
    const auto found = std::ranges::find_if(presets, has_figures);
    return found == presets.end() ? nullptr : &*found;
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
    constexpr std::int64_t not_layers = 2; // parts of a model that may be stages of their own
    takeMostPossible(scenario, &Parallel::pipeline,
                     leftOf(gpus, {parallel.data, parallel.tensor, parallel.context}),
                     scenario.model.layers + not_layers);
    if (parallel.pipeline == 1)
        takeMostPossible(scenario, &Parallel::tensor, leftOf(gpus, {parallel.data, parallel.context}),
                         scenario.model.attention_heads);
    return scenario;
}

Scenario withFollowingConventions(const Scenario& before, Scenario edited)
{
    if (edited.conventions == before.conventions)
        edited.conventions = conventionsThere(before, edited);
    return edited;
}

Scenario withPrecision(const Scenario& scenario, Precision precision)
{
    if (precision == scenario.training.precision)
        return scenario;
    Scenario changed = scenario;
    changed.training.precision = precision;
    changed.training.gradient_bytes = gradientBytesThere(scenario, scenario.conventions.framework, precision);
    changed.training.master_bytes = masterBytesThere(scenario.training, precision);
    return withFollowingConventions(scenario, std::move(changed));
}

void setSchedule(Parallel& parallel, Schedule schedule)
{
    parallel.schedule = schedule;
    parallel.virtual_stages = schedule == Schedule::interleaved
                                  ? std::max<std::int64_t>(2, parallel.virtual_stages)
                                  : defaultVirtualStages(schedule);
}

Scenario withSchedule(Scenario scenario, Schedule schedule)
{
    setSchedule(scenario.parallel, schedule);
    return scenario;
}

Scenario withVirtualStages(Scenario scenario, std::int64_t virtual_stages)
{
    Parallel& parallel = scenario.parallel;
    parallel.virtual_stages = virtual_stages;
    const bool was_usual =
        parallel.schedule == Schedule::one_f_one_b || parallel.schedule == Schedule::interleaved;
    const bool does_not_fit = isVShaped(parallel.schedule) && virtual_stages != 2;
    if (was_usual || does_not_fit)
        parallel.schedule = defaultSchedule(virtual_stages);
    return scenario;
}

Scenario withFramework(Scenario scenario, Framework framework)
{
    Training& training = scenario.training;
    training.gradient_bytes = gradientBytesThere(scenario, framework, training.precision);
    ContextMethod& method = scenario.parallel.context_method;
    if (method == defaultContextMethod(scenario.conventions.framework))
        method = defaultContextMethod(framework);
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

Scenario withModel(const Scenario& scenario, const ModelPreset& preset)
{
    Scenario changed = scenario;
    changed.model = preset.model;
    changed.model.preset = preset.name;
    changed.training.flash_attention = defaultFlashAttention(changed.model);
    return withFollowingConventions(scenario, std::move(changed));
}

Scenario withCluster(Scenario scenario, const ClusterPreset& preset)
{
    scenario.cluster = preset.cluster;
    scenario.cluster.preset = preset.name;
    return scenario;
}

const ModelPreset* matchingPreset(const Model& model, const Presets& presets)
{
    return presetOf(model, &ModelPreset::model, presets.models());
}

const ClusterPreset* matchingPreset(const Cluster& cluster, const Presets& presets)
{
    return presetOf(cluster, &ClusterPreset::cluster, presets.clusters());
}

} // namespace shardscope

#include "core/scenario/preset_origin.h"

#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_fields.h"

#include <string_view>

namespace shardscope
{

namespace
{

// How many of the figures of two values differ. The preset's name is no figure.
struct Difference {
    int differing = 0;
    int figures = 0;

    template<class T>
    void operator()(std::string_view key, const T& one, const T& other)
    {
        if constexpr (HasFields<T>) {
            Fields<T>::visit(*this, one, other);
        } else if (key != "preset") {
            ++figures;
            differing += one == other ? 0 : 1;
        }
    }
};

template<class T>
Difference difference(const T& one, const T& other)
{
    Difference found;
    Fields<T>::visit(found, one, other);
    return found;
}

const Model* presetFigures(const Presets& presets, const std::string& name, const Model&)
{
    const ModelPreset* preset = presets.model(name);
    return preset ? &preset->model : nullptr;
}

const Cluster* presetFigures(const Presets& presets, const std::string& name, const Cluster&)
{
    const ClusterPreset* preset = presets.cluster(name);
    return preset ? &preset->cluster : nullptr;
}

// As many as follow from one move by hand: the hidden size takes the heads and the MLP along.
constexpr int most_of_a_small_step = 4;

template<class T>
PresetOrigin origin(const T& now, const T& before, const PresetOrigin& of_before, const Presets& presets)
{
    if (const auto* preset = matchingPreset(now, presets))
        return {preset->name, false};
    std::string name = now.preset;
    if (name.empty() && difference(now, before).differing <= most_of_a_small_step)
        name = of_before.name;
    const T* figures = presetFigures(presets, name, now);
    if (figures == nullptr)
        return {};
    const Difference moved = difference(now, *figures);
    return 2 * moved.differing < moved.figures ? PresetOrigin{name, true} : PresetOrigin{};
}

// The preset that a cluster is in everything but the laws of its times, which a calibration fits.
const ClusterPreset* presetOfHardware(const Cluster& cluster, const Presets& presets)
{
    for (const ClusterPreset& preset : presets.clusters()) {
        Cluster named = cluster;
        named.preset = preset.cluster.preset;
        named.mu = preset.cluster.mu;
        named.fitted_mu = preset.cluster.fitted_mu;
        named.compute = preset.cluster.compute;
        named.collectives = preset.cluster.collectives;
        named.calibrated = preset.cluster.calibrated;
        if (named == preset.cluster)
            return &preset;
    }
    return nullptr;
}

} // namespace

PresetOrigin originOf(const Model& now, const Model& before, const PresetOrigin& of_before,
                      const Presets& presets)
{
    return origin(now, before, of_before, presets);
}

PresetOrigin originOf(const Cluster& now, const Cluster& before, const PresetOrigin& of_before,
                      const Presets& presets)
{
    PresetOrigin found = origin(now, before, of_before, presets);
    if (!found.name.empty())
        return found;
    const ClusterPreset* preset = presetOfHardware(now, presets);
    return preset ? PresetOrigin{preset->name, true} : found;
}

} // namespace shardscope

#include "core/scenario/preset_origin.h"

#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_fields.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace shardscope
{

namespace
{

// Where the figures of one value lie, in the order of the format: the other value has them in the same order.
struct Places {
    std::vector<const void*> places;

    template<class T>
    void operator()(std::string_view, const T& member)
    {
        if constexpr (HasFields<T>)
            Fields<T>::visit(member, *this);
        else
            places.push_back(&member);
    }
};

struct Comparison {
    const std::vector<const void*>& others;
    std::size_t next = 0;
    int differing = 0;

    template<class T>
    void operator()(std::string_view key, const T& member)
    {
        if constexpr (HasFields<T>) {
            Fields<T>::visit(member, *this);
        } else {
            const T& other = *static_cast<const T*>(others[next++]);
            if (key != "preset" && !(member == other))
                ++differing;
        }
    }
};

struct Difference {
    int differing = 0;
    int figures = 0;
};

template<class T>
Difference difference(const T& one, const T& other)
{
    Places places;
    Fields<T>::visit(other, places);
    Comparison comparison{places.places};
    Fields<T>::visit(one, comparison);
    return {comparison.differing, static_cast<int>(places.places.size()) - 1}; // the preset's name
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

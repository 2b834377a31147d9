#pragma once

#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// The preset that figures are, or were before somebody moved some of them.
struct PresetOrigin {
    std::string name; // empty: own figures
    bool edited = false;

    friend bool operator==(const PresetOrigin&, const PresetOrigin&) = default;
};

// Where `now` comes from, with what was `before` and where that came from. Figures are a preset's, edited,
// where they name it or were reached from it by a small step, and most still are as there; a cluster's also
// where nothing but the laws of its times is another, as a calibration leaves it.
PresetOrigin originOf(const Model& now, const Model& before, const PresetOrigin& origin,
                      const Presets& presets);
PresetOrigin originOf(const Cluster& now, const Cluster& before, const PresetOrigin& origin,
                      const Presets& presets);

} // namespace shardscope

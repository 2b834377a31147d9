#pragma once

#include "core/base/resources.h"
#include "core/scenario/presets.h"

namespace shardscope
{

// Those that the program comes with.
inline Presets shippedPresets()
{
    return std::move(Presets::load(resourcesFolder() / "presets")).value();
}

} // namespace shardscope

#pragma once

#include "core/scenario/presets.h"

#include <string>

namespace shardscope
{

// Every model, cluster and GPU that ships, each figure with its source, as JSON text and for people.
std::string presetsJson(const Presets& presets, int indent = 2);
std::string presetsText(const Presets& presets);

} // namespace shardscope

#pragma once

#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// The scenario for a file that other machines read too: without the names of presets that ship with none of
// them, the user's own and those that are gone. Its figures say the same.
Scenario portable(Scenario scenario, const Presets& presets);

} // namespace shardscope

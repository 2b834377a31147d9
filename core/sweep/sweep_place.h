#pragma once

#include "core/sweep/sweep_axis.h"

#include <cstdint>
#include <span>
#include <string>

namespace shardscope
{

// Why a place has no scenario.
enum class Misfit : std::uint8_t { none, gpus, heads, batch };

// Brings `scenario`, a copy of `base`, to a place; copies nothing, so that a map can ask for each of its
// points. All values of one call hold together. With a misfit the scenario is of no use.
Misfit setPlace(Scenario& scenario, const Scenario& base, std::span<const AxisValue> place);
// What the misfit of that scenario is, as a sentence.
std::string misfitSentence(Misfit misfit, const Scenario& scenario);

} // namespace shardscope

#pragma once

#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string_view>

namespace shardscope
{

// The model that torchtitan calls so (torchtitan/models/*/__init__.py): "llama3", "70B". Nothing: it is not
// known, or is a preset that is not there. Variants of a flavor that differ in the kernel of attention alone
// ("8B_flex") are that flavor.
std::optional<Model> modelOfFlavor(std::string_view name, std::string_view flavor, const Presets& presets);

} // namespace shardscope

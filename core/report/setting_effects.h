#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// What moving one setting would do to the bytes that a GPU sends in an iteration.
struct SettingEffect {
    std::string key;      // of the scenario format: "conventions.sp_regather"
    std::string sentence; // "off: -1.2 GiB (-9.4 %)"; of several other values one part each
};

// Every switch of the conventions that changes what is sent, and of the experts how the volume follows top-k,
// capacity and skew. Predicts once for each other value. Empty for a scenario that is not valid.
std::vector<SettingEffect> settingEffects(const Scenario& scenario);

} // namespace shardscope

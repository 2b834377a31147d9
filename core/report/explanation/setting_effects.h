#pragma once

#include "core/scenario/scenario.h"

#include <atomic>
#include <string>
#include <vector>

namespace shardscope
{

// What moving one setting would do to the bytes that a GPU sends in an iteration, and to what it holds.
struct SettingEffect {
    std::string key; // of the scenario format: "conventions.sp_regather"
    // "off: -1.2 GiB sent by a GPU (-9.4 %), +3 GiB of memory"; of several other values one part each
    std::string sentence;
};

// Every switch of the conventions that changes what is sent or held, and of the experts how the volume
// follows top-k, capacity and skew. Predicts once for each other value. Empty for a scenario that is not
// valid. Stops early, with some of them, when `stop` becomes true.
std::vector<SettingEffect> settingEffects(const Scenario& scenario, const std::atomic<bool>* stop = nullptr);

} // namespace shardscope

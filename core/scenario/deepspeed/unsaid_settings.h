#pragma once

namespace shardscope
{

class SettingKeys;
struct DeepSpeedSettings;

// Says of what a configuration sets which of it no scenario does; `settings` are read before.
void noteUnsaidSettings(SettingKeys& keys, DeepSpeedSettings& settings);

} // namespace shardscope

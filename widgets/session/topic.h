#pragma once

namespace shardscope
{

// What a sentence to the user is about. It is no longer right once another one is opened, once the scenario
// is of as many GPUs as the traces, or once a preset is saved after all.
enum class Topic : unsigned char { other, scenario_file, traces, number_of_gpus, presets };

} // namespace shardscope

#pragma once

#include <span>
#include <string>

namespace shardscope
{

// `shardscope-cli presets`: the models and clusters that ship. Answers the exit status.
int presetsCommand(std::span<const std::string> arguments);

} // namespace shardscope

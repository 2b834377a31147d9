#pragma once

#include <span>
#include <string>

namespace shardscope
{

// `shardscope-cli predict`: each scenario's prediction on standard output. Answers the exit status.
int predictCommand(std::span<const std::string> arguments);

} // namespace shardscope

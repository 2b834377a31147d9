#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli presets`: the models and clusters that ship. Answers the exit status.
int presetsCommand(const Arguments& arguments);

} // namespace shardscope

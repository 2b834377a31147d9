#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli collective`: the time of one collective for each message size. Answers the exit status.
int collectiveCommand(const Arguments& arguments);

} // namespace shardscope

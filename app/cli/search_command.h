#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli search`: the best layouts on a number of GPUs. Answers the exit status.
int searchCommand(const Arguments& arguments);

} // namespace shardscope

#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli predict`: each scenario's prediction on standard output. Answers the exit status.
int predictCommand(const Arguments& arguments);

} // namespace shardscope

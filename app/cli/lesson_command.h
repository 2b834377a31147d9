#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli lesson`: the list of lessons, or one of them with its answers. Answers the exit
// status.
int lessonCommand(const Arguments& arguments);

} // namespace shardscope

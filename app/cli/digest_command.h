#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// shardscope-cli digest: writes one small summary of a folder's traces. Answers the exit status.
int digestCommand(const Arguments& arguments);

} // namespace shardscope

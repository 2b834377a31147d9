#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `map SCENARIO --x AXIS --y AXIS`: the scenario over two axes at once. Answers the exit status.
int mapCommand(const Arguments& arguments);

} // namespace shardscope

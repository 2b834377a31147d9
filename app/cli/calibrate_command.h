#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli calibrate`: the scenario with its cluster's constants fitted to measurements. Answers the
// exit status.
int calibrateCommand(const Arguments& arguments);

} // namespace shardscope

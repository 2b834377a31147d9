#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli infer`: the scenario that traces show, and what told it. Answers the exit status.
int inferCommand(const Arguments& arguments);

} // namespace shardscope

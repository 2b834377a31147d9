#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli export-timeline`: the predicted timeline of every rank as a Chrome trace. Answers the exit
// status.
int exportTimelineCommand(const Arguments& arguments);

} // namespace shardscope

#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli study`: one of the questions of the Sweeps picture that are drawn as bars.
int studyCommand(const Arguments& arguments);

} // namespace shardscope

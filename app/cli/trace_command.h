#pragma once

#include "app/cli/arguments.h"

namespace shardscope
{

// `shardscope-cli trace PATH... [--json] [--scenario FILE] [--rules FILE]`: what trace files and folders
// show. The scenario's layout tells the kind of calls that nothing in the traces names. Answers the exit
// status.
int traceCommand(const Arguments& arguments);

// `shardscope-cli compare SCENARIO PATH... [--json] [--rules FILE]`: prediction against measurement.
int compareCommand(const Arguments& arguments);

// `shardscope-cli compare-runs BEFORE AFTER [--json] [--scenario FILE] [--rules FILE]`: one measured run
// against another. The scenario's layout tells the kind of calls in both.
int compareRunsCommand(const Arguments& arguments);

} // namespace shardscope

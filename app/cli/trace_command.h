#pragma once

#include <span>
#include <string>

namespace shardscope
{

// `shardscope-cli trace PATH... [--json] [--scenario FILE] [--rules FILE]`: what trace files and folders
// show. The scenario's layout tells the kind of calls that nothing in the traces names. Answers the exit
// status.
int traceCommand(std::span<const std::string> arguments);

// `shardscope-cli compare SCENARIO PATH... [--json] [--rules FILE]`: prediction against measurement.
int compareCommand(std::span<const std::string> arguments);

} // namespace shardscope

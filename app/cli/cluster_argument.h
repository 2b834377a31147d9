#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario_json.h"

#include <string>

namespace shardscope
{

// The cluster that a word of the command line names: a preset, or a file with the scenario's `cluster`
// object, with a whole scenario or of the form of presets. Error: the sentence names the file.
Result<ClusterReading> clusterArgument(const std::string& name);

} // namespace shardscope

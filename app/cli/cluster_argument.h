#pragma once

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "core/scenario/scenario_json.h"

#include <optional>
#include <string>

namespace shardscope
{

// The cluster that a word of the command line names: a preset, or a file with the scenario's `cluster`
// object, with a whole scenario or of the form of presets. Error: the sentence names the file.
Result<ClusterReading> clusterArgument(const std::string& name);

// What --cluster names likewise; nothing without it.
Result<std::optional<ClusterReading>> chosenCluster(const Arguments& arguments);
// Puts the reading on that cluster. Without one a warning tells which was assumed for a file that names none.
void settleCluster(ScenarioReading& reading, const std::optional<ClusterReading>& chosen);

} // namespace shardscope

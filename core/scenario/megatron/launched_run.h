#pragma once

#include "core/base/result.h"
#include "core/scenario/megatron/megatron_run.h"

#include <filesystem>
#include <string_view>

namespace shardscope
{

// The run that a launch script starts (launch_script.h), with the configuration that it hands to DeepSpeed:
// where the script does not write that itself it is looked for in `folder`, the script's own; empty: nowhere.
Result<MegatronRun> launchedRun(std::string_view script, const Scenario& base,
                                const std::filesystem::path& folder);

} // namespace shardscope

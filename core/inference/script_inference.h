#pragma once

#include "core/inference/infer.h"

#include <filesystem>

namespace shardscope
{

// Whether the file is a script that starts Megatron-LM.
bool isLaunchScript(const std::filesystem::path& file);

// The scenario that readScenarioFile() reads from the script, with the options that tell each figure. There
// is nothing to hold it against. Error: as there.
Result<Inference> inferByScript(const std::filesystem::path& file, const Presets& presets);

} // namespace shardscope

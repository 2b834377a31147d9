#pragma once

#include "core/inference/infer.h"

#include <filesystem>

namespace shardscope
{

// Whether the file is a script that starts Megatron-LM, or a job configuration of torchtitan.
bool startsRun(const std::filesystem::path& file);

// The scenario that readScenarioFile() reads from such a file, with the options or keys that tell each
// figure. There is nothing to hold it against. Error: as there.
Result<Inference> inferByScript(const std::filesystem::path& file, const Presets& presets);

} // namespace shardscope

#pragma once

#include "core/base/result.h"

#include <string_view>

namespace shardscope
{

// Whether the text is the configuration of a run, but of no kind that is read: YAML, or TOML that is no job
// of torchtitan.
bool isUnreadConfiguration(std::string_view text);

// Why no scenario is read from a text that is not JSON, and which files are.
Error noScenarioIn(std::string_view text);

} // namespace shardscope

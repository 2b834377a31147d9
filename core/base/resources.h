#pragma once

#include <filesystem>

namespace shardscope
{

// Where presets, rules, examples and sample traces lie. The first that exists of: $SHARDSCOPE_DATA, the
// installed place beside the running program (../share/shardscope), the source tree that it was built from.
std::filesystem::path resourcesFolder(); // holds presets/, rules/, examples/
std::filesystem::path sampleTracesFolder();

} // namespace shardscope

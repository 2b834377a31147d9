#pragma once

#include <string>
#include <string_view>

namespace shardscope
{

// The JSON of a DeepSpeed configuration, which DeepSpeed reads as HJSON: its comments (#, //, /* */) and
// commas behind the last of a list are blanks, so that all else stays at its place. Names and texts without
// quotes, which HJSON has too, are no JSON.
std::string jsonOfConfig(std::string_view text);

} // namespace shardscope

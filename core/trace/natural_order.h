#pragma once

#include <string_view>

namespace shardscope
{

// Orders texts as people do: runs of digits by their value, so "stream 7" comes before "stream 24".
bool naturallyBefore(std::string_view left, std::string_view right);

} // namespace shardscope

#pragma once

#include "core/scenario/megatron/run_arguments.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// Which layers have a thing: 1 for each that has, 0 for each that has none.
using ListedLayers = std::vector<std::int64_t>;

// "[0, 1, 1]", or "([0]*3+[1]*58)", as command lines write it; empty: not listed, or no such list.
ListedLayers listedLayers(const RunArguments& arguments, std::string_view name);

} // namespace shardscope

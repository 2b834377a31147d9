#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// A whole number from 1 to `most`. Error: the sentence says what is expected.
Result<std::int64_t> parseCount(std::string_view text, std::int64_t most);

// Sizes in bytes, "1048576,16M,1GiB": K, M and G are powers of 1024, as nccl-tests has them.
Result<std::vector<std::int64_t>> parseSizes(std::string_view text);

} // namespace shardscope

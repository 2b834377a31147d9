#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardscope
{

// Bytes as people write them, powers of 1024: "1048576", "1M", "16MiB", "8g". Nothing: the text is none, or
// of none or more than a PiB, to which no message comes near.
std::optional<std::int64_t> bytesFromText(std::string_view text);

} // namespace shardscope

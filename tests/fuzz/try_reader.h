#pragma once

#include <string_view>

namespace shardscope
{

// Gives the bytes to every reader of that format's name, whether or not they look like it. "archive" stands
// for the streams: what gzip, zstd and tar hold goes to the reader that recognises it.
void tryReader(std::string_view format, std::string_view bytes);

} // namespace shardscope

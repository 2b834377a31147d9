#pragma once

#include <string_view>

namespace shardscope
{

// Gives the bytes to every reader of that format's name, whether or not they look like it. "archive" stands
// for the streams: what gzip, zstd and tar hold goes to the reader that recognises it.
// "scenario": whatever one is read from, saved and read again; "launch_script" and "deepspeed_config" go past
// what tells them apart, straight to their readers.
void tryReader(std::string_view format, std::string_view bytes);

} // namespace shardscope

#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace shardscope
{

// The whole of a small file. Error: it is not there, is a folder, cannot be opened, or holds more than
// `most_bytes`; the sentence leaves the file's name to the caller.
Result<std::string> readFile(const std::filesystem::path& file, std::uintmax_t most_bytes);

// As NewFile writes it, with its errors: nobody ever reads half of it.
Result<bool> replaceFile(const std::filesystem::path& file, std::string_view text);

} // namespace shardscope

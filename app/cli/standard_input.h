#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace shardscope
{

// Whether a word of the command line stands for standard input.
bool isStandardInput(const std::string& path);
// What sentences call it: the file as it is named, or "standard input".
std::string inputName(const std::string& path);

// All of standard input, of which there is one: error, where it was read before or holds more than
// `most_bytes`. The sentence leaves out the name.
Result<std::string> readStandardInput(std::uintmax_t most_bytes);

} // namespace shardscope

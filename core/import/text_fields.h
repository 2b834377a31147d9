#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

// Pieces of lines of text.

std::string_view trimmed(std::string_view text);
// The number that the text begins with, after blanks; what follows it does not count. Infinity is none.
std::optional<double> leadingNumber(std::string_view text);
std::vector<std::string_view> splitAt(std::string_view text, char separator); // parts are trimmed
std::vector<std::string_view> splitAtBlanks(std::string_view text);

} // namespace shardscope

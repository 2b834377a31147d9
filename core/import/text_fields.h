#pragma once

#include <charconv>
#include <cstdint>
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

// The whole text as a whole number.
template<class Integer = std::int64_t>
std::optional<Integer> wholeNumber(std::string_view text, int base = 10)
{
    Integer number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

} // namespace shardscope

#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shardscope
{

// The whole of a text as a whole number; nothing where it is none, or too large.
template<std::integral Integer = std::int64_t>
std::optional<Integer> wholeNumber(std::string_view text, int base = 10)
{
    Integer number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

} // namespace shardscope

#include "app/cli/number_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace shardscope
{

namespace
{

constexpr std::int64_t largest_size = std::int64_t{1} << 50; // a PiB; no message comes near

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

std::optional<std::int64_t> sizeOf(std::string_view text)
{
    if (text.ends_with("iB")) // 16MiB is 16M
        text.remove_suffix(2);
    if (text.empty())
        return std::nullopt;
    int shift = 0;
    constexpr std::string_view units = "KMG";
    const char last = static_cast<char>(text.back() & ~0x20); // capital or small
    if (const auto unit = units.find(last); unit != std::string_view::npos) {
        shift = 10 * (static_cast<int>(unit) + 1);
        text.remove_suffix(1);
    }
    const auto number = wholeNumber(text);
    if (!number || *number < 1 || *number > largest_size >> shift)
        return std::nullopt;
    return *number << shift;
}

} // namespace

Result<std::int64_t> parseCount(std::string_view text, std::int64_t most)
{
    const auto number = wholeNumber(text);
    if (!number || *number < 1 || *number > most)
        return Error{"\"" + std::string{text} + "\" is not a whole number from 1 to " + std::to_string(most)};
    return *number;
}

Result<std::vector<std::int64_t>> parseSizes(std::string_view text)
{
    std::vector<std::int64_t> sizes;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        const auto size = sizeOf(word);
        if (!size)
            return Error{"\"" + std::string{word}
                         + "\" is not a size in bytes; give sizes like 1048576 or 16M, with commas between"};
        sizes.push_back(*size);
        begin = end + 1;
    }
    return sizes;
}

} // namespace shardscope

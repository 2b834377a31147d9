#include "core/base/size_text.h"

#include "core/base/whole_number.h"

namespace shardscope
{

std::optional<std::int64_t> bytesFromText(std::string_view text)
{
    constexpr std::int64_t most = std::int64_t{1} << 50;
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
    if (!number || *number < 1 || *number > most >> shift)
        return std::nullopt;
    return *number << shift;
}

} // namespace shardscope

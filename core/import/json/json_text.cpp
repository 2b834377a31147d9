#include "core/import/json/json_members.h"

#include <charconv>

namespace shardscope
{

namespace
{

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD

void appendUtf8(std::string& out, std::uint32_t code)
{
    const auto add = [&out](std::uint32_t byte) {
        out += static_cast<char>(static_cast<unsigned char>(byte));
    };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xc0 | (code >> 6));
        add(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        add(0xe0 | (code >> 12));
        add(0x80 | ((code >> 6) & 0x3f));
        add(0x80 | (code & 0x3f));
    } else {
        add(0xf0 | (code >> 18));
        add(0x80 | ((code >> 12) & 0x3f));
        add(0x80 | ((code >> 6) & 0x3f));
        add(0x80 | (code & 0x3f));
    }
}

// The four hex digits behind "\u" at `at`; nullopt where there are none.
std::optional<std::uint32_t> hexEscape(std::string_view text, std::size_t at)
{
    if (!text.substr(at).starts_with("\\u") || at + 6 > text.size())
        return std::nullopt;
    std::uint32_t code = 0;
    const char* const begin = text.data() + at + 2;
    const auto [end, error] = std::from_chars(begin, begin + 4, code, 16);
    return error == std::errc{} && end == begin + 4 ? std::optional(code) : std::nullopt;
}

// Appends what the \u escape at `at` stands for and tells how long it was; 0 where it is none.
std::size_t appendHexEscape(std::string& out, std::string_view text, std::size_t at)
{
    const auto first = hexEscape(text, at);
    if (!first)
        return 0;
    const bool is_high = *first >= 0xd800 && *first < 0xdc00;
    const auto second = is_high ? hexEscape(text, at + 6) : std::nullopt;
    if (second && *second >= 0xdc00 && *second < 0xe000) {
        appendUtf8(out, 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00));
        return 12;
    }
    if (*first >= 0xd800 && *first < 0xe000)
        out += replacement;
    else
        appendUtf8(out, *first);
    return 6;
}

char simpleEscape(char letter)
{
    switch (letter) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case '"':
    case '\\':
    case '/':
        return letter;
    default:
        return '\0';
    }
}

// The length of the UTF-8 sequence at `at`; 0 where there is none. Unicode 15, table 3-7.
std::size_t utf8Length(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return follows(1) ? 2 : 0;
    if (first >= 0xe0 && first < 0xf0) {
        const bool is_short = first == 0xe0 && byte(1) < 0xa0;
        const bool is_surrogate = first == 0xed && byte(1) >= 0xa0;
        return follows(1) && follows(2) && !is_short && !is_surrogate ? 3 : 0;
    }
    if (first >= 0xf0 && first < 0xf5) {
        const bool is_short = first == 0xf0 && byte(1) < 0x90;
        const bool is_beyond = first == 0xf4 && byte(1) >= 0x90;
        return follows(1) && follows(2) && follows(3) && !is_short && !is_beyond ? 4 : 0;
    }
    return 0;
}

} // namespace

std::string unescaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            out += text[at++];
            continue;
        }
        if (const std::size_t length = appendHexEscape(out, text, at); length > 0) {
            at += length;
        } else if (const char meant = simpleEscape(text[at + 1]); meant != '\0') {
            out += meant;
            at += 2;
        } else { // no escape that JSON knows, such as a Windows path: as it stands
            out += text[at++];
        }
    }
    return out;
}

std::optional<std::string> repairedUtf8(std::string_view text)
{
    std::size_t good = 0;
    for (std::size_t length = 1; good < text.size() && length > 0; good += length)
        length = utf8Length(text, good);
    if (good == text.size())
        return std::nullopt;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8Length(text, at);
        out += length > 0 ? text.substr(at, length) : replacement;
        at += length > 0 ? length : 1;
    }
    return out;
}

} // namespace shardscope

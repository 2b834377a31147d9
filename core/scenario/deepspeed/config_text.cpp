#include "core/scenario/deepspeed/config_text.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Behind the string that begins at `at`.
std::size_t behindString(std::string_view text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\')
            ++at;
    return std::min(at + 1, text.size());
}

// Behind the comment that begins at `at`; `at` where none does.
std::size_t behindComment(std::string_view text, std::size_t at)
{
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('#') || rest.starts_with("//"))
        return at + std::min(rest.find('\n'), rest.size());
    if (!rest.starts_with("/*"))
        return at;
    const std::size_t end = rest.find("*/", 2);
    return end == std::string_view::npos ? text.size() : at + end + 2;
}

} // namespace

std::string jsonOfConfig(std::string_view text)
{
    std::string json{text};
    std::size_t comma = std::string::npos; // with nothing behind it yet
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (const std::size_t behind = behindComment(text, at); behind > at) {
            for (; at < behind; ++at)
                json[at] = text[at] == '\n' ? '\n' : ' ';
            continue;
        }
        if ((c == '}' || c == ']') && comma != std::string::npos)
            json[comma] = ' ';
        if (c == ',')
            comma = at;
        else if (std::string_view{" \t\r\n"}.find(c) == std::string_view::npos)
            comma = std::string::npos;
        at = c == '"' ? behindString(text, at) : at + 1;
    }
    return json;
}

} // namespace shardscope

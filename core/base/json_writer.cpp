#include "core/base/json_writer.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace shardscope
{

namespace
{

// Length of the well-formed UTF-8 sequence that starts the text, or 0. Unicode 15, table 3-7.
std::size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (length == 0 || text.size() < length)
        return 0;
    const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < low || byte(1) > high)
        return 0;
    for (std::size_t i = 2; i < length; ++i)
        if (byte(i) < 0x80 || byte(i) > 0xBF)
            return 0;
    return length;
}

void appendEscaped(std::string& out, char symbol)
{
    switch (symbol) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        break;
    }
    constexpr std::string_view hex = "0123456789abcdef";
    out += "\\u00";
    out += hex[static_cast<unsigned char>(symbol) >> 4U];
    out += hex[static_cast<unsigned char>(symbol) & 15U];
}

bool needsEscape(char symbol)
{
    return static_cast<unsigned char>(symbol) < 0x20 || symbol == '"' || symbol == '\\';
}

} // namespace

void JsonWriter::key(std::string_view name)
{
    value(name);
    m_text += m_indent < 0 ? ":" : ": ";
    m_after_key = true;
}

void JsonWriter::value(std::string_view text)
{
    separate();
    m_text += '"';
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequenceLength(text.substr(i));
        if (length == 0)
            m_text += "\xEF\xBF\xBD";
        else if (length == 1 && needsEscape(text[i]))
            appendEscaped(m_text, text[i]);
        else
            m_text.append(text, i, length);
        i += length == 0 ? 1 : length;
    }
    m_text += '"';
}

void JsonWriter::value(bool flag)
{
    raw(flag ? "true" : "false");
}

void JsonWriter::value(double number)
{
    if (!std::isfinite(number))
        return null();
    std::array<char, 32> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    raw({digits.data(), static_cast<std::size_t>(written.ptr - digits.data())});
}

void JsonWriter::integer(std::int64_t number)
{
    std::array<char, 24> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    raw({digits.data(), static_cast<std::size_t>(written.ptr - digits.data())});
}

void JsonWriter::null()
{
    raw("null");
}

void JsonWriter::raw(std::string_view json)
{
    separate();
    m_text += json;
}

void JsonWriter::repeat(std::string_view members)
{
    assert(!m_levels.empty());
    m_text += members;
    m_levels.back().empty = m_levels.back().empty && members.empty();
}

void JsonWriter::begin(char bracket, Layout layout)
{
    separate();
    const bool inside_line = !m_levels.empty() && m_levels.back().line;
    m_levels.push_back({inside_line || layout == Layout::line || m_indent < 0, true});
    m_text += bracket;
}

void JsonWriter::end(char bracket)
{
    assert(!m_levels.empty());
    const Level level = m_levels.back();
    m_levels.pop_back();
    if (!level.line && !level.empty)
        breakLine();
    m_text += bracket;
}

// What stands between the last thing written and the next: a comma, a line break, or nothing after a key.
void JsonWriter::separate()
{
    if (m_after_key) {
        m_after_key = false;
        return;
    }
    if (m_levels.empty())
        return;
    Level& level = m_levels.back();
    if (!level.empty)
        m_text += level.line && m_indent >= 0 ? ", " : ",";
    level.empty = false;
    if (!level.line)
        breakLine();
}

void JsonWriter::breakLine()
{
    m_text += '\n';
    m_text.append(m_levels.size() * static_cast<std::size_t>(m_indent), ' ');
}

} // namespace shardscope

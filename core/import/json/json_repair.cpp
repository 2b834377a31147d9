#include "core/import/json/json_repair.h"

#include "core/import/json/json_scan.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

constexpr std::size_t most_nesting = 256;
constexpr std::size_t longest_key = 64;

std::size_t skipSpace(std::string_view text, std::size_t at)
{
    while (at < text.size() && isSpace(text[at]))
        ++at;
    return at;
}

// Whether a short string and a colon stand here, as a key does.
bool looksLikeKey(std::string_view text, std::size_t at)
{
    if (at >= text.size() || text[at] != '"')
        return false;
    const std::size_t end = text.find_first_of("\",:{}\\", at + 1);
    if (end == std::string_view::npos || text[end] != '"' || end == at + 1 || end - at > longest_key)
        return false;
    const std::size_t colon = skipSpace(text, end + 1);
    return colon < text.size() && text[colon] == ':';
}

// One pass over a broken event. Knows at each step what may come next.
class Repairer
{
public:
    Repairer(std::string_view text, std::string& out, Repair& repair)
        : m_text(text), m_out(out), m_repair(repair)
    {
    }

    // False where the text ends too early or makes no sense; m_at tells which.
    bool run()
    {
        while (m_at < m_text.size()) {
            m_at = skipSpace(m_text, m_at);
            if (m_at >= m_text.size() || !step())
                return false;
            if (m_containers.empty())
                return true;
        }
        return false;
    }

    bool atEnd() const { return m_at >= m_text.size(); }
    std::size_t position() const { return m_at; }

private:
    enum class Next { value, key, colon, comma };

    bool inObject() const { return !m_containers.empty() && m_containers.back() == '{'; }

    bool step()
    {
        const char letter = m_text[m_at];
        if (letter == '}' || letter == ']')
            return closeContainer(letter);
        switch (m_next) {
        case Next::value:
            return readValue(letter);
        case Next::key:
            m_next = Next::colon;
            return letter == '"' && readString(true);
        case Next::colon:
            m_next = Next::value;
            return letter == ':' && copy(1);
        case Next::comma:
            if (letter != ',')
                return false;
            ++m_at;
            m_comma_waits = true;
            m_next = inObject() ? Next::key : Next::value;
            return true;
        }
        return false;
    }

    bool readValue(char letter)
    {
        flushComma();
        if (letter == '{' || letter == '[') {
            m_containers += letter;
            m_next = letter == '{' ? Next::key : Next::value;
            return m_containers.size() <= most_nesting && copy(1);
        }
        m_next = Next::comma;
        if (letter == '"')
            return readString(false);
        const std::size_t end = std::min(m_text.find_first_of(",}]\": \n\r\t{[", m_at), m_text.size());
        return end > m_at && copy(end - m_at);
    }

    bool closeContainer(char letter)
    {
        const bool fits = !m_containers.empty() && (letter == '}') == inObject();
        const bool after_value =
            m_next == Next::comma || m_out.back() == '{' || m_out.back() == '[' || m_comma_waits;
        if (!fits || !after_value)
            return false;
        m_repair.had_commas = m_repair.had_commas || m_comma_waits;
        m_comma_waits = false;
        m_containers.pop_back();
        m_next = Next::comma;
        return copy(1);
    }

    bool readString(bool is_key)
    {
        flushComma();
        copy(1);
        while (m_at < m_text.size()) {
            const char letter = m_text[m_at];
            if (letter == '\\' && m_at + 1 < m_text.size()) {
                copy(2);
            } else if (letter == '"' && closesString(is_key)) {
                return copy(1);
            } else if (letter == '"') {
                if (m_text.substr(m_at).starts_with("\"ph\"")) // another event: this one was cut
                    return false;
                m_repair.had_quotes = true;
                m_out += '\\';
                copy(1);
            } else if (static_cast<unsigned char>(letter) < 0x20) {
                constexpr std::string_view digits = "0123456789abcdef";
                m_repair.had_control = true;
                m_out += "\\u00";
                m_out += digits[static_cast<unsigned char>(letter) >> 4];
                m_out += digits[static_cast<unsigned char>(letter) & 15];
                ++m_at;
            } else {
                copy(1);
            }
        }
        return false;
    }

    // Whether the quote here ends the string: what follows must fit.
    bool closesString(bool is_key) const
    {
        const std::size_t behind = skipSpace(m_text, m_at + 1);
        if (behind >= m_text.size())
            return true;
        const char letter = m_text[behind];
        if (is_key)
            return letter == ':';
        if (letter != ',')
            return letter == (inObject() ? '}' : ']');
        const std::size_t next = skipSpace(m_text, behind + 1);
        if (next >= m_text.size() || m_text[next] == '}' || m_text[next] == ']')
            return true;
        return inObject()
                   ? looksLikeKey(m_text, next)
                   : std::string_view("\"[{-0123456789tfn").find(m_text[next]) != std::string_view::npos;
    }

    void flushComma()
    {
        if (m_comma_waits)
            m_out += ',';
        m_comma_waits = false;
    }

    bool copy(std::size_t count)
    {
        m_out += m_text.substr(m_at, count);
        m_at += count;
        return true;
    }

    std::string_view m_text;
    std::string& m_out;
    Repair& m_repair;
    std::string m_containers; // the open brackets
    Next m_next = Next::value;
    bool m_comma_waits = false; // a comma was read and is written once something follows
    std::size_t m_at = 0;
};

} // namespace

Repair repairEvent(std::string_view text, bool is_all, std::string& repaired)
{
    repaired.clear();
    Repair repair;
    Repairer repairer(text, repaired, repair);
    if (repairer.run()) {
        repair.state = RepairState::repaired;
        repair.length = repairer.position();
    } else if (repairer.atEnd() && !is_all) {
        repair.state = RepairState::needs_more_text;
    }
    return repair;
}

std::size_t findEventStart(std::string_view text, std::size_t from)
{
    constexpr std::array<std::string_view, 10> keys{"ph", "name", "cat", "pid", "tid",
                                                    "ts", "dur",  "id",  "s",   "args"};
    for (std::size_t at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
        const std::size_t key = skipSpace(text, at + 1);
        if (!looksLikeKey(text, key))
            continue;
        std::size_t before = at;
        while (before > 0 && isSpace(text[before - 1]))
            --before;
        const std::string_view name = text.substr(key + 1, text.find('"', key + 1) - key - 1);
        if ((before == 0 || text[before - 1] != ':') && std::ranges::find(keys, name) != keys.end())
            return at;
    }
    return std::string_view::npos;
}

} // namespace shardscope

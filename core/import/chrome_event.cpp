#include "core/import/chrome_event.h"

#include <cstdint>
#include <cstring>

namespace shardscope
{

namespace
{

bool isSpace(char letter)
{
    return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}

template<class Word>
Word load(const char* text)
{
    Word word;
    std::memcpy(&word, text, sizeof word);
    return word;
}

constexpr std::uint32_t wordOf(const char (&text)[5])
{
    std::uint32_t word = 0;
    for (int i = 3; i >= 0; --i)
        word = (word << 8) | static_cast<unsigned char>(text[i]);
    return word;
}

// Where the value of this key goes; null for keys that nobody asks for. Keys are compared as little-endian
// words, with the quote that ends them; at least four bytes are readable.
JsonValue* place(ChromeEvent& event, std::string_view key)
{
    if (key.size() > 5)
        return nullptr;
    const auto word = load<std::uint32_t>(key.data());
    switch (key.size()) {
    case 2:
        switch (word & 0xffffffU) {
        case wordOf("ts\"\0"):
            return &event.time;
        case wordOf("ph\"\0"):
            return &event.phase;
        case wordOf("id\"\0"):
            return &event.id;
        default:
            return nullptr;
        }
    case 3:
        switch (word) {
        case wordOf("dur\""):
            return &event.duration;
        case wordOf("pid\""):
            return &event.pid;
        case wordOf("tid\""):
            return &event.tid;
        case wordOf("cat\""):
            return &event.category;
        case wordOf("id2\""):
            return &event.local_or_global_id;
        default:
            return nullptr;
        }
    case 4:
        return word == wordOf("name") ? &event.name : word == wordOf("args") ? &event.arguments : nullptr;
    default:
        return key == "scope" ? &event.scope : nullptr;
    }
}

bool isArrow(std::string_view phase)
{
    return phase == "s" || phase == "t" || phase == "f";
}

// Walks from quote to quote of one event: the scanner has found where its strings and containers end.
class EventReader
{
public:
    EventReader(const char* text, const ScannedEvents& found, const EventSpan& span)
        : m_text(text),
          m_at(text + span.begin + 1),
          m_end(text + span.end - 1),
          m_quote(found.quotes.data() + span.first_quote),
          m_quotes_end(m_quote + span.quote_count),
          m_child(found.children.data() + span.first_child),
          m_children_end(m_child + span.child_count),
          m_has_escapes(span.has_escapes)
    {
    }

    EventState read(ChromeEvent& event)
    {
        skipSpace();
        m_commas = 0;
        skipCommas();
        bool has_extra = m_commas > 0;
        while (m_at < m_end) {
            JsonValue value;
            std::string_view key;
            m_commas = 0;
            if (!readKey(key) || !readValue(value))
                return EventState::broken;
            if (JsonValue* const wanted = place(event, key)) {
                *wanted = value;
                if (wanted == &event.phase && isArrow(value.text))
                    return has_extra ? EventState::extra_commas : EventState::ok; // only counted
            }
            if (m_commas == 0 && !skipUsualGap())
                skipCommas();
            if (m_commas == 0 && m_at < m_end)
                return EventState::broken;
            has_extra = has_extra || m_commas > (m_at < m_end ? 1 : 0);
        }
        return has_extra ? EventState::extra_commas : EventState::ok;
    }

private:
    void skipSpace()
    {
        while (isSpace(*m_at)) // stops at the closing bracket at the latest
            ++m_at;
    }

    void skipCommas()
    {
        for (skipSpace(); *m_at == ','; skipSpace()) {
            ++m_at;
            ++m_commas;
        }
    }

    // As PyTorch lays its events out, ", " or a comma and a new line with four blanks stand before the next
    // key.
    bool skipUsualGap()
    {
        if (m_quote == m_quotes_end)
            return false;
        const char* const key = m_text + *m_quote;
        const bool is_blank = key - m_at == 2 && load<std::uint16_t>(m_at) == load<std::uint16_t>(", ");
        const bool is_line = key - m_at == 6 && load<std::uint32_t>(m_at) == load<std::uint32_t>(",\n  ")
                             && load<std::uint16_t>(m_at + 4) == load<std::uint16_t>("  ");
        if (!is_blank && !is_line)
            return false;
        m_at = key;
        m_commas = 1;
        return true;
    }

    // How long the usual gap before the place at hand is; nothing where another stands there.
    std::ptrdiff_t usualGapBefore(const char* begin) const
    {
        if (m_at - begin >= 2 && load<std::uint16_t>(m_at - 2) == load<std::uint16_t>(", "))
            return 2;
        return m_at - begin >= 6 && load<std::uint32_t>(m_at - 6) == load<std::uint32_t>(",\n  ")
                       && load<std::uint16_t>(m_at - 2) == load<std::uint16_t>("  ")
                   ? 6
                   : 0;
    }

    bool readString(std::string_view& string)
    {
        if (m_quotes_end - m_quote < 2 || m_text + m_quote[0] != m_at)
            return false;
        string = {m_at + 1, m_text + m_quote[1]};
        m_at = m_text + m_quote[1] + 1;
        m_quote += 2;
        return true;
    }

    bool readKey(std::string_view& key)
    {
        if (!readString(key))
            return false;
        if (load<std::uint16_t>(m_at) == load<std::uint16_t>(": ") && m_at[2] > ' ') { // the usual gap
            m_at += 2;
            return true;
        }
        skipSpace();
        if (*m_at != ':')
            return false;
        m_at += m_at[1] == ' ' ? 2 : 1;
        skipSpace();
        return true;
    }

    bool readValue(JsonValue& value)
    {
        const char first = *m_at;
        if (first == '"') {
            value.kind = JsonKind::string;
            if (!readString(value.text))
                return false;
            value.has_escapes = m_has_escapes && value.text.find('\\') != std::string_view::npos;
            return true;
        }
        const char* const begin = m_at;
        if (first == '{' || first == '[') {
            if (m_child == m_children_end || m_text + m_child->open != m_at)
                return false;
            value.kind = first == '{' ? JsonKind::object : JsonKind::array;
            m_at = m_text + m_child->close + 1;
            ++m_child;
        } else {
            return readBare(value);
        }
        value.text = {begin, m_at};
        return true;
    }

    // A number or a word ends before the comma that stands before the next key: shorter to find from behind.
    bool readBare(JsonValue& value)
    {
        const char* const begin = m_at;
        m_at = m_quote == m_quotes_end ? m_end : m_text + *m_quote;
        const char* end = m_at - usualGapBefore(begin);
        m_commas = end < m_at ? 1 : 0;
        while (end > begin && (isSpace(end[-1]) || end[-1] == ',')) {
            --end;
            m_commas += *end == ',' ? 1 : 0;
        }
        value.kind = JsonKind::bare;
        value.text = {begin, end};
        return end > begin;
    }

    const char* m_text;
    const char* m_at;
    const char* m_end; // the closing bracket
    const std::uint32_t* m_quote;
    const std::uint32_t* m_quotes_end;
    const ChildSpan* m_child;
    const ChildSpan* m_children_end;
    bool m_has_escapes;
    int m_commas = 0; // behind the member at hand
};

} // namespace

EventState readChromeEvent(const char* text, const ScannedEvents& found, const EventSpan& span,
                           ChromeEvent& event)
{
    event.clear();
    if (text[span.begin] != '{')
        return EventState::no_object;
    return EventReader(text, found, span).read(event);
}

} // namespace shardscope

#include "core/import/chrome/chrome_event.h"

#include "core/import/json/json_scan.h"

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace shardscope
{

namespace
{

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

// The first byte that a string cannot go on behind: a quote, a backslash, or a control character. Reads up to
// 15 bytes beyond the limit; as all below.
const char* findStringStop(const char* at, const char* limit)
{
#if defined(__x86_64__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    for (; at < limit; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        const __m128i found = _mm_or_si128(ends, _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
        if (mask != 0)
            return at + std::countr_zero(mask);
    }
#else
    while (at < limit && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20)
        ++at;
#endif
    return at;
}

// The first comma, quote or bracket: where a number or a word ends at the latest.
const char* findBareStop(const char* at, const char* limit)
{
#if defined(__x86_64__)
    const auto is = [](__m128i bytes, char letter) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(letter)); };
    for (; at < limit; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); // [ to {, ] to }
        const __m128i brackets = _mm_or_si128(is(folded, '{'), is(folded, '}'));
        const __m128i found = _mm_or_si128(brackets, _mm_or_si128(is(bytes, ','), is(bytes, '"')));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
        if (mask != 0)
            return at + std::countr_zero(mask);
    }
#else
    while (at < limit && std::strchr(",\"{}[]", *at) == nullptr)
        ++at;
#endif
    return at;
}

struct Key {
    JsonValue* place = nullptr; // where its value goes; null: nobody asks for it
    int length = 0;             // 0: not one of those that events have
};

// The keys of PyTorch's events, as little-endian words with the quote that ends them.
Key knownKey(const char* text, ChromeEvent& event)
{
    const auto word = load<std::uint32_t>(text);
    switch (word) {
    case wordOf("name"):
        return {&event.name, text[4] == '"' ? 4 : 0};
    case wordOf("args"):
        return {&event.arguments, text[4] == '"' ? 4 : 0};
    case wordOf("dur\""):
        return {&event.duration, 3};
    case wordOf("pid\""):
        return {&event.pid, 3};
    case wordOf("tid\""):
        return {&event.tid, 3};
    case wordOf("cat\""):
        return {&event.category, 3};
    case wordOf("id2\""):
        return {&event.local_or_global_id, 3};
    case wordOf("scop"):
        return {&event.scope, load<std::uint16_t>(text + 4) == load<std::uint16_t>("e\"") ? 5 : 0};
    default:
        break;
    }
    switch (word & 0xffffffU) {
    case wordOf("ts\"\0"):
        return {&event.time, 2};
    case wordOf("ph\"\0"):
        return {&event.phase, 2};
    case wordOf("id\"\0"):
        return {&event.id, 2};
    case wordOf("bp\"\0"): // of arrows
        return {nullptr, 2};
    default:
        return {};
    }
}

// Walks from member to member of one event.
class EventReader
{
public:
    EventReader(const char* begin, const char* limit, ChromeEvent& event)
        : m_at(begin + 1), m_limit(limit), m_event(event)
    {
    }

    EventState read()
    {
        bool has_extra = skipCommas() > 0;
        while (*m_at == '"' && m_at < m_limit) {
            if (!readMember())
                return EventState::broken;
            const int commas = skipUsualGap() ? 1 : skipCommas();
            const bool is_last = *m_at == '}';
            if (commas == 0 && !is_last)
                return EventState::broken;
            has_extra = has_extra || commas > (is_last ? 0 : 1);
        }
        if (m_at >= m_limit || *m_at != '}')
            return EventState::broken;
        ++m_at;
        return has_extra ? EventState::extra_commas : EventState::ok;
    }

    const char* behind() const { return m_at; }

private:
    void skipSpace()
    {
        while (m_at < m_limit && isSpace(*m_at))
            ++m_at;
    }

    int skipCommas()
    {
        int commas = 0;
        for (skipSpace(); m_at < m_limit && *m_at == ','; skipSpace()) {
            ++m_at;
            ++commas;
        }
        return commas;
    }

    // As PyTorch lays its events out, ", " or a comma and a new line with four blanks stand before the next
    // key.
    bool skipUsualGap()
    {
        const bool is_blank = load<std::uint16_t>(m_at) == load<std::uint16_t>(", ") && m_at[2] == '"';
        const bool is_line = load<std::uint32_t>(m_at) == load<std::uint32_t>(",\n  ")
                             && load<std::uint16_t>(m_at + 4) == load<std::uint16_t>("  ") && m_at[6] == '"';
        m_at += is_blank ? 2 : is_line ? 6 : 0;
        return is_blank || is_line;
    }

    bool readMember()
    {
        const char* const text = m_at + 1;
        const Key key = knownKey(text, m_event);
        if (key.length != 0) {
            m_at = text + key.length + 1;
            m_is_document = false;
        } else {
            JsonValue unknown;
            if (!readString(unknown))
                return false;
            m_is_document = unknown.text == "traceEvents";
        }
        if (load<std::uint16_t>(m_at) == load<std::uint16_t>(": ") && m_at[2] > ' ') { // the usual gap
            m_at += 2;
        } else {
            skipSpace();
            if (*m_at != ':')
                return false;
            ++m_at;
            skipSpace();
        }
        JsonValue unwanted;
        return readValue(key.place != nullptr ? *key.place : unwanted);
    }

    bool readString(JsonValue& value)
    {
        const char* const begin = m_at + 1;
        value.kind = JsonKind::string;
        value.has_escapes = false;
        for (const char* at = begin;;) {
            at = findStringStop(at, m_limit);
            if (at >= m_limit)
                return false;
            if (*at == '"') {
                value.text = {begin, at};
                m_at = at + 1;
                return true;
            }
            if (*at != '\\' || static_cast<unsigned char>(at[1]) < 0x20) // a control character
                return false;
            value.has_escapes = true;
            at += 2;
        }
    }

    bool readValue(JsonValue& value)
    {
        const char first = *m_at;
        if (first == '"')
            return readString(value);
        const char* const begin = m_at;
        value.has_escapes = false;
        if (first == '{' || first == '[') {
            if (first == '[' && m_is_document) // another trace begins here
                return false;
            const char* const behind = behindContainer(m_at, m_limit);
            if (behind == nullptr)
                return false;
            value.kind = first == '{' ? JsonKind::object : JsonKind::array;
            m_at = behind;
        } else {
            const char* end = findBareStop(m_at, m_limit);
            m_at = end;
            while (end > begin && isSpace(end[-1]))
                --end;
            value.kind = JsonKind::bare;
            if (end == begin)
                return false;
            value.text = {begin, end};
            return true;
        }
        value.text = {begin, m_at};
        return true;
    }

    const char* m_at;
    const char* m_limit;
    ChromeEvent& m_event;
    bool m_is_document = false; // the key at hand begins another document's events
};

} // namespace

EventState readChromeEvent(const char* begin, const char* limit, ChromeEvent& event, const char*& behind)
{
    event.clear();
    behind = nullptr;
    if (*begin != '{')
        return EventState::no_object;
    EventReader reader(begin, limit, event);
    const EventState state = reader.read();
    if (state != EventState::broken)
        behind = reader.behind();
    return state;
}

} // namespace shardscope

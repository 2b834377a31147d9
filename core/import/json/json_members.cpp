#include "core/import/json/json_members.h"

#include "core/import/json/json_block.h"
#include "core/import/json/json_scan.h"

#include <algorithm>
#include <charconv>

namespace shardscope
{

namespace
{

// The next quote or backslash; reads up to 16 bytes beyond `end`.
const char* findQuote(const char* at, const char* end)
{
#if defined(__x86_64__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    for (; at < end; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const int found =
            _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
        if (found != 0)
            return std::min(at + std::countr_zero(static_cast<unsigned>(found)), end);
    }
    return end;
#else
    return std::find_if(at, end, [](char letter) { return letter == '"' || letter == '\\'; });
#endif
}

} // namespace

bool JsonReader::next(JsonMember& member)
{
    skipSpace();
    int commas = 0;
    for (; m_at < m_end && *m_at == ','; ++commas) {
        ++m_at;
        skipSpace();
    }
    if (m_at >= m_end)
        return false;
    if (commas == 0 && !m_is_first)
        return fail();
    m_is_first = false;
    member.key = {};
    if (m_is_object) {
        JsonValue key;
        if (*m_at != '"' || !readString(key))
            return fail();
        member.key = key.text;
        skipSpace();
        if (m_at >= m_end || *m_at != ':')
            return fail();
        ++m_at;
        skipSpace();
    }
    return readValue(member.value) || fail();
}

bool JsonReader::readValue(JsonValue& value)
{
    if (m_at >= m_end)
        return false;
    if (*m_at == '"')
        return readString(value);
    if (*m_at == '{' || *m_at == '[')
        return readContainer(value);
    const char* const begin = m_at;
    while (m_at < m_end && *m_at != ',' && !isSpace(*m_at) && *m_at != '"' && *m_at != ':' && *m_at != '{'
           && *m_at != '}' && *m_at != '[' && *m_at != ']')
        ++m_at;
    value = {std::string_view(begin, m_at), JsonKind::bare, false};
    return m_at > begin;
}

bool JsonReader::readString(JsonValue& value)
{
    const char* const begin = ++m_at;
    bool has_escapes = false;
    while (true) {
        m_at = findQuote(m_at, m_end);
        if (m_at >= m_end)
            return false;
        if (*m_at == '"')
            break;
        has_escapes = true;
        m_at = std::min(m_at + 2, m_end);
    }
    value = {std::string_view(begin, m_at), JsonKind::string, has_escapes};
    ++m_at;
    return true;
}

bool JsonReader::readContainer(JsonValue& value)
{
    const char* const begin = m_at;
    value.kind = *begin == '{' ? JsonKind::object : JsonKind::array;
    value.has_escapes = false;
    int depth = 0;
    JsonValue skipped;
    do {
        if (m_at >= m_end)
            return false;
        if (*m_at == '"') {
            if (!readString(skipped))
                return false;
            continue;
        }
        depth += *m_at == '{' || *m_at == '[' ? 1 : 0;
        depth -= *m_at == '}' || *m_at == ']' ? 1 : 0;
        ++m_at;
    } while (depth > 0);
    value.text = std::string_view(begin, m_at);
    return true;
}

void JsonReader::skipSpace()
{
    while (m_at < m_end && isSpace(*m_at))
        ++m_at;
}

bool JsonReader::fail()
{
    m_is_broken = true;
    m_at = m_end;
    return false;
}

std::optional<std::int64_t> toInteger(const JsonValue& value)
{
    if (value.kind != JsonKind::bare && value.kind != JsonKind::string)
        return std::nullopt;
    std::string_view text = value.text;
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

} // namespace shardscope

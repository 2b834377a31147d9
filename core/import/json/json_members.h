#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope
{

// Bare are numbers, true, null, and words.
enum class JsonKind : unsigned char { none, string, bare, object, array };

// A value as it stands in the text. Strings without their quotes, objects and arrays with their brackets.
struct JsonValue {
    std::string_view text;
    JsonKind kind = JsonKind::none;
    bool has_escapes = false;
};

// One member of an object, or one element of an array.
struct JsonMember {
    std::string_view key; // as it stands, escapes and all
    JsonValue value;
};

// Walks the members of an object, or the elements of an array (with empty keys), without copying.
// scan_padding bytes must be readable behind the text. Takes bare words and hex numbers; stops at what makes
// no sense.
class JsonReader
{
public:
    // `text` with its brackets.
    explicit JsonReader(std::string_view text)
        : m_at(text.data() + 1), m_end(text.data() + text.size() - 1), m_is_object(text[0] == '{')
    {
    }

    bool next(JsonMember& member);
    bool isBroken() const { return m_is_broken; }

private:
    bool readValue(JsonValue& value);
    bool readString(JsonValue& value);
    bool readContainer(JsonValue& value);
    void skipSpace();
    bool fail();

    const char* m_at;
    const char* m_end; // the closing bracket
    bool m_is_object;
    bool m_is_broken = false;
    bool m_is_first = true;
};

// The text of a string value with its escapes resolved, as UTF-8; lone surrogates become U+FFFD.
std::string unescaped(std::string_view text);
// Whole numbers, plain or in quotes; hex numbers too.
std::optional<std::int64_t> toInteger(const JsonValue& value);
// Replaces what is not UTF-8 by U+FFFD. nullopt where all is well.
std::optional<std::string> repairedUtf8(std::string_view text);

} // namespace shardscope

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Writes JSON text piece by piece, without a tree in between. Objects and arrays are spread over lines or,
// with Layout::line, kept on one; a negative indent puts everything on one line without blanks. Numbers that
// JSON does not know (NaN, infinity) become null; bytes that are not UTF-8 become U+FFFD.
class JsonWriter
{
public:
    enum class Layout : std::uint8_t { block, line };

    explicit JsonWriter(int indent = 2) : m_indent{indent} {}

    void beginObject(Layout layout = Layout::block) { begin('{', layout); }
    void endObject() { end('}'); }
    void beginArray(Layout layout = Layout::block) { begin('[', layout); }
    void endArray() { end(']'); }

    void key(std::string_view name);
    void value(std::string_view text);
    void value(const char* text) { value(std::string_view{text}); }
    void value(bool flag);
    void value(double number);
    template<std::integral Integer>
    void value(Integer number)
    {
        integer(static_cast<std::int64_t>(number));
    }
    template<class T>
    void value(const std::optional<T>& optional)
    {
        if (optional)
            value(*optional);
        else
            null();
    }
    void null();

    template<class T>
    void member(std::string_view name, const T& content)
    {
        key(name);
        value(content);
    }
    // Puts finished JSON in as it is.
    void raw(std::string_view json);

    // Puts in the members that text() shows another object at the same depth to have from some place on,
    // separators included: what is equal in many objects is written once.
    void repeat(std::string_view members);

    const std::string& text() const { return m_text; }
    std::string take() { return std::move(m_text); }

private:
    struct Level {
        bool line = false;
        bool empty = true;
    };

    void begin(char bracket, Layout layout);
    void end(char bracket);
    void integer(std::int64_t number);
    void separate();
    void breakLine();

    int m_indent;
    bool m_after_key = false;
    std::vector<Level> m_levels;
    std::string m_text;
};

} // namespace shardscope

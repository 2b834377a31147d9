#include "core/scenario/json_text.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

constexpr std::size_t deepest_nesting = 32;

// Reads once without keeping anything: how deep it goes and which keys each open object has. (A callback of
// json::parse would be asked the same, but makes it walk through the whole of a list for each of its
// objects.)
class Watch : public nlohmann::json_sax<nlohmann::json>
{
public:
    // Empty: every object has its keys once.
    const std::string& keyTwice() const { return m_key_twice; }
    bool isTooDeep() const { return m_keys.size() > deepest_nesting; }
    // Of the outermost object, whether it is closed or open still.
    const std::set<std::string>& outermostKeys() const { return m_keys.empty() ? m_closed : m_keys.front(); }
    bool isOpen() const { return !m_keys.empty(); }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_array() override { return close(); }
    bool key(string_t& key) override
    {
        if (!m_keys.back().insert(key).second && m_key_twice.empty())
            m_key_twice = key;
        return true;
    }
    // Left to json::parse, which tells more.
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override
    {
        return false;
    }

private:
    bool open()
    {
        m_keys.emplace_back();
        return !isTooDeep(); // and nothing is closed any more
    }
    bool close()
    {
        m_closed = std::move(m_keys.back());
        m_keys.pop_back();
        return true;
    }

    std::vector<std::set<std::string>> m_keys; // of each open object or array
    std::set<std::string> m_closed;            // of the one that was closed last
    std::string m_key_twice;
};

std::string place(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
    const auto line = 1 + std::ranges::count(before, '\n');
    const auto line_start = before.rfind('\n');
    const std::size_t column =
        before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column) + " (byte "
           + std::to_string(byte) + ")";
}

// nlohmann's text behind its own number and place: "unexpected end of input; expected '}'".
std::string reason(std::string_view what)
{
    const auto dash = what.rfind(" - ");
    return std::string{dash == std::string_view::npos ? what : what.substr(dash + 3)};
}

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Python writes an infinite number as JSON has none, and files of models have some. Null in its place is as
// long, so that places in the text stay.
std::string withoutInfinity(std::string_view text)
{
    constexpr std::string_view infinity = "Infinity";
    std::string plain{text};
    bool is_quoted = false;
    for (std::size_t at = 0; at < plain.size(); ++at) {
        if (is_quoted && plain[at] == '\\')
            ++at;
        else if (plain[at] == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && plain.compare(at, infinity.size(), infinity) == 0) {
            if (at > 0 && plain[at - 1] == '-')
                plain[at - 1] = ' ';
            plain.replace(at, infinity.size(), "null    ");
        }
    }
    return plain;
}

Result<nlohmann::json> parsed(std::string_view text)
{
    Watch watch;
    nlohmann::json::sax_parse(text, &watch);
    if (watch.isTooDeep())
        return Error{
            "objects and lists are nested deeper than any scenario or table needs; leave the inner ones out"};
    if (!watch.keyTwice().empty())
        return Error{"the key \"" + watch.keyTwice()
                     + "\" is there twice in one object; leave one of them out"};
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        return Error{"this is not JSON: " + place(text, error.byte) + ": " + reason(error.what())};
    } catch (const nlohmann::json::out_of_range& error) {
        return Error{"a number is too large for any use: " + reason(error.what())};
    }
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text)
{
    if (isBlank(text))
        return Error{"there is nothing in it; a JSON object is needed: {\"shardscope\": 1, ...}"};
    return text.find("Infinity") == std::string_view::npos ? parsed(text) : parsed(withoutInfinity(text));
}

std::vector<std::string> keysBeforeFault(std::string_view text)
{
    Watch watch;
    const bool is_whole = nlohmann::json::sax_parse(text, &watch);
    if (!is_whole && !watch.isOpen())
        return {};
    return {watch.outermostKeys().begin(), watch.outermostKeys().end()};
}

bool isNestedTooDeep(std::string_view text)
{
    Watch watch;
    nlohmann::json::sax_parse(text, &watch);
    return watch.isTooDeep();
}

JsonPathEnd followPath(const nlohmann::json& root, std::string_view path)
{
    JsonPathEnd reached{&root};
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const auto found = reached.value->find(path.substr(begin, end - begin));
        if (found == reached.value->end()) // of what is no object, too
            return reached;
        reached = {&*found, end, end == path.size()};
        begin = end + 1;
    }
    return reached;
}

std::vector<std::string> pathsIn(const nlohmann::json& root, int levels)
{
    std::vector<std::string> paths;
    if (!root.is_object() || levels == 0)
        return paths;
    for (const auto& [key, value] : root.items()) {
        paths.push_back(key);
        for (const std::string& path : pathsIn(value, levels - 1))
            paths.push_back(key + "." + path);
    }
    return paths;
}

std::string excerpt(const nlohmann::json& value)
{
    if (value.is_object())
        return "an object";
    if (value.is_array())
        return "a list";
    constexpr std::size_t longest = 40;
    std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (text.size() <= longest)
        return text;
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    return text.substr(0, end) + "...";
}

} // namespace shardscope

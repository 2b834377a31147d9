#include "core/scenario/json_text.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <vector>

namespace shardscope
{

namespace
{

constexpr int deepest_nesting = 32;

// Thrown out of the parser's callback and caught in parseJson().
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Watches the parser: how deep it is and which keys each open object has.
class Watch
{
public:
    bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed)
    {
        using Event = nlohmann::json::parse_event_t;
        if (depth > deepest_nesting)
            throw Refusal{
                "objects and arrays are nested deeper than a scenario ever is; leave the inner ones out"};
        const auto level = static_cast<std::size_t>(depth);
        if (m_keys.size() <= level + 1)
            m_keys.resize(level + 2);
        if (event == Event::object_start)
            m_keys[level + 1].clear();
        if (event == Event::key && !m_keys[level].insert(parsed.get<std::string>()).second)
            throw Refusal{"the key \"" + parsed.get<std::string>()
                          + "\" is there twice in one object; leave one of them out"};
        return true;
    }

private:
    std::vector<std::set<std::string>> m_keys;
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

} // namespace

Result<nlohmann::json> parseJson(std::string_view text)
{
    if (isBlank(text))
        return Error{"there is nothing in it; a JSON object is needed: {\"shardscope\": 1, ...}"};
    try {
        return nlohmann::json::parse(text, Watch{});
    } catch (const nlohmann::json::parse_error& error) {
        return Error{"this is not JSON: " + place(text, error.byte) + ": " + reason(error.what())};
    } catch (const nlohmann::json::out_of_range& error) {
        return Error{"a number is too large for any use: " + reason(error.what())};
    } catch (const Refusal& refusal) {
        return Error{refusal.what()};
    }
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

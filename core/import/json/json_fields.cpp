#include "core/import/json/json_fields.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace shardscope
{

using Json = nlohmann::json;

namespace
{

constexpr int deepest = 512;

// Brackets within strings do not count. Where the text is no JSON, the parser finds out.
bool isTooDeep(std::string_view text)
{
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (in_string) {
            i += letter == '\\' ? 1 : 0;
            in_string = letter != '"';
        } else if (letter == '"') {
            in_string = true;
        } else if (letter == '{' || letter == '[') {
            if (++depth > deepest)
                return true;
        } else if (letter == '}' || letter == ']') {
            --depth;
        }
    }
    return false;
}

std::optional<std::int64_t> wholeOf(double number)
{
    constexpr double beyond = 0x1p63;
    const bool is_whole = std::trunc(number) == number && number >= -beyond && number < beyond;
    return is_whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

} // namespace

Json parsedJson(std::string_view text)
{
    return isTooDeep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

std::optional<std::int64_t> integerOf(const Json& value)
{
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > most)
        return std::nullopt;
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (value.is_number_float())
        return wholeOf(value.get<double>());
    if (!value.is_string())
        return std::nullopt;
    const std::string& text = value.get_ref<const std::string&>();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

const Json& memberIn(const Json& object, std::string_view key)
{
    static const Json nothing;
    if (!object.is_object())
        return nothing;
    const auto found = object.find(key);
    return found != object.end() ? *found : nothing;
}

std::optional<std::int64_t> integerIn(const Json& object, std::string_view key)
{
    return integerOf(memberIn(object, key));
}

std::optional<double> numberIn(const Json& object, std::string_view key)
{
    const Json& value = memberIn(object, key);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string textIn(const Json& object, std::string_view key)
{
    const Json& value = memberIn(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

} // namespace shardscope

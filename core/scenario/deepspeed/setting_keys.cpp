#include "core/scenario/deepspeed/setting_keys.h"

#include "core/scenario/json_text.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

using nlohmann::json;

void addOnce(std::vector<std::string>& list, std::string_view path)
{
    if (std::ranges::find(list, path) == list.end())
        list.emplace_back(path);
}

} // namespace

std::string inLowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return text;
}

bool SettingKeys::isAuto(std::string_view path)
{
    const json* value = find(path);
    return value != nullptr && *value == "auto";
}

bool SettingKeys::isMissing(std::string_view path) const
{
    const JsonPathEnd reached = followPath(m_root, path);
    return !reached.is_whole && reached.value->is_object();
}

std::optional<bool> SettingKeys::flag(std::string_view path)
{
    const json* value = told(path);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_boolean())
        return value->get<bool>();
    refuse(path, "true or false");
    return std::nullopt;
}

std::optional<std::int64_t> SettingKeys::count(std::string_view path, std::int64_t least)
{
    constexpr double most = 1e12;
    const json* value = told(path);
    if (value == nullptr)
        return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : -1.0;
    if (number >= static_cast<double>(least) && number < most && number == std::floor(number))
        return static_cast<std::int64_t>(number);
    refuse(path, "a whole number");
    return std::nullopt;
}

std::optional<double> SettingKeys::number(std::string_view path)
{
    const json* value = told(path);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_number() && std::isfinite(value->get<double>()))
        return value->get<double>();
    refuse(path, "a number");
    return std::nullopt;
}

std::optional<std::string> SettingKeys::text(std::string_view path)
{
    const json* value = told(path);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_string())
        return value->get<std::string>();
    refuse(path, "text");
    return std::nullopt;
}

void SettingKeys::refuse(std::string_view path, std::string_view need)
{
    if (std::ranges::find(m_refused, path) != m_refused.end())
        return;
    m_refused.emplace_back(path);
    const json* value = find(path);
    m_notes.push_back(std::string{path} + " is " + (value != nullptr ? excerpt(*value) : std::string{"null"})
                      + ", not " + std::string{need} + "; it is left out.");
}

// Where a section is none, that is said once for all its keys; false is its being off.
const json* SettingKeys::find(std::string_view path)
{
    m_asked.add(path);
    const JsonPathEnd reached = followPath(m_root, path);
    const json& value = *reached.value;
    if (reached.is_whole)
        return value.is_null() ? nullptr : &value;
    if (reached.followed > 0 && !value.is_object() && !value.is_null() && value != false)
        refuse(path.substr(0, reached.followed), "an object");
    return nullptr;
}

const json* SettingKeys::told(std::string_view path)
{
    const json* value = find(path);
    if (value == nullptr || *value != "auto")
        return value;
    addOnce(m_autos, path);
    return nullptr;
}

} // namespace shardscope

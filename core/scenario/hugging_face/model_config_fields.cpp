#include "core/scenario/hugging_face/model_config_fields.h"

#include "core/scenario/json_text.h"

namespace shardscope
{

bool ModelConfigFields::has(std::string_view key) const
{
    const auto found = m_object.find(key);
    return found != m_object.end() && !found->is_null();
}

std::int64_t ModelConfigFields::size(std::initializer_list<std::string_view> keys)
{
    for (const std::string_view key : keys)
        if (has(key))
            return sizeOr(key, 0);
    fail("the configuration has no " + std::string{*keys.begin()} + "; add it");
    return 1;
}

std::int64_t ModelConfigFields::sizeOr(std::string_view key, std::int64_t otherwise)
{
    if (!has(key))
        return otherwise;
    const nlohmann::json& value = *m_object.find(key);
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    fail(std::string{key} + " is " + excerpt(value) + "; it must be a whole number");
    return otherwise;
}

bool ModelConfigFields::flagOr(std::string_view key, bool otherwise)
{
    if (!has(key))
        return otherwise;
    const nlohmann::json& value = *m_object.find(key);
    if (value.is_boolean())
        return value.get<bool>();
    fail(std::string{key} + " is " + excerpt(value) + "; it must be true or false");
    return otherwise;
}

std::string ModelConfigFields::textOr(std::string_view key, const std::string& otherwise)
{
    if (!has(key))
        return otherwise;
    const nlohmann::json& value = *m_object.find(key);
    if (value.is_string())
        return value.get<std::string>();
    fail(std::string{key} + " is " + excerpt(value) + "; it must be text");
    return otherwise;
}

const nlohmann::json& ModelConfigFields::section(std::string_view key)
{
    static const nlohmann::json nothing = nlohmann::json::object();
    if (!has(key))
        return nothing;
    const nlohmann::json& value = *m_object.find(key);
    if (value.is_object())
        return value;
    fail(std::string{key} + " is " + excerpt(value) + "; it must be an object");
    return nothing;
}

void ModelConfigFields::fail(const std::string& sentence)
{
    if (m_failure.empty())
        m_failure = sentence;
}

} // namespace shardscope

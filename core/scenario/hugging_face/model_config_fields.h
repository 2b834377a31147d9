#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace shardscope
{

// Reads single keys of a config.json with a check of their type. Keys of no interest are many and passed
// over. The first thing that is wrong becomes the failure.
class ModelConfigFields
{
public:
    explicit ModelConfigFields(const nlohmann::json& object) : m_object{object} {}

    // Null counts as left out.
    bool has(std::string_view key) const;
    // A size that has to be there under one of its names.
    std::int64_t size(std::initializer_list<std::string_view> keys);
    std::int64_t sizeOr(std::string_view key, std::int64_t otherwise);
    bool flagOr(std::string_view key, bool otherwise);
    std::string textOr(std::string_view key, const std::string& otherwise);

    // An object within this one; empty where there is none.
    const nlohmann::json& section(std::string_view key);

    const nlohmann::json& object() const { return m_object; }
    void fail(const std::string& sentence);
    const std::string& failure() const { return m_failure; }

private:
    const nlohmann::json& m_object;
    std::string m_failure;
};

} // namespace shardscope

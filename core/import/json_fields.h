#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope
{

// Members of JSON values from files, which may be anything: what is not there, or of another type, is
// nothing.

std::optional<std::int64_t> integerOf(const nlohmann::json& value); // also in quotes
std::optional<std::int64_t> integerIn(const nlohmann::json& object, std::string_view key);
std::optional<double> numberIn(const nlohmann::json& object, std::string_view key);
std::string textIn(const nlohmann::json& object, std::string_view key);
// The member, or null.
const nlohmann::json& memberIn(const nlohmann::json& object, std::string_view key);

} // namespace shardscope

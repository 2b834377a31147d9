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

// A document of a file, discarded where it is damaged or nested deeper than any file that is known here: a
// tree of a million levels would take the stack with it when it is copied.
nlohmann::json parsedJson(std::string_view text);

// Also in quotes, and as 1.0 or 1e9 where a program has rewritten the file.
std::optional<std::int64_t> integerOf(const nlohmann::json& value);
std::optional<std::int64_t> integerIn(const nlohmann::json& object, std::string_view key);
std::optional<double> numberIn(const nlohmann::json& object, std::string_view key);
std::string textIn(const nlohmann::json& object, std::string_view key);
// The member, or null.
const nlohmann::json& memberIn(const nlohmann::json& object, std::string_view key);

} // namespace shardscope

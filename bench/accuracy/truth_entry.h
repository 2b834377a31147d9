#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace shardscope
{

// What an entry of ../shared/truth says.

// The value of a key that may be missing or null.
template<class T>
T valueOr(const nlohmann::json& object, const char* key, T fallback)
{
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? fallback : found->get<T>();
}

std::string textOf(const nlohmann::json& object, const char* key); // empty: it does not say

// Models with experts by the names that sources give them.
struct NamedModel {
    std::string_view name; // how the source's begins
    std::string_view preset;
};
// The preset of an entry's model with experts; null: it has none, or an unknown one.
const NamedModel* modelWithExperts(const nlohmann::json& entry);

bool isGated(const nlohmann::json& model);
double parametersOf(const nlohmann::json& model);
std::string precisionOf(const nlohmann::json& entry);

double measuredTime(const nlohmann::json& entry); // 0: it does not tell
// Of the fullest GPU, in bytes; nothing: it does not tell.
std::optional<double> measuredMemory(const nlohmann::json& entry);
bool ranOutOfMemory(const nlohmann::json& entry);

// Which measured runs of the files are read, as truth_cases.h tells them.
bool canBeScored(const nlohmann::json& entry);
bool comparesSchedules(const nlohmann::json& entry);
bool isKnownWithExperts(const nlohmann::json& entry);
bool tellsMemory(const nlohmann::json& entry);
bool isToldInPart(const nlohmann::json& entry); // a step that none of the others reads

} // namespace shardscope

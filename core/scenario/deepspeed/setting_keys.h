#pragma once

#include "core/scenario/asked_names.h"
#include "core/scenario/json_text.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Names of optimizers count in any case.
std::string inLowerCase(std::string text);

// Reads single keys of a DeepSpeed configuration, each by its path: "zero_optimization.stage". What is not
// there, null and "auto" are nothing; so is a value of another type, which is said.
class SettingKeys
{
public:
    SettingKeys(const nlohmann::json& root, std::vector<std::string>& notes) : m_root{root}, m_notes{notes} {}

    bool has(std::string_view path) { return find(path) != nullptr; }
    bool isAuto(std::string_view path);
    // Neither it nor its section is written; null is.
    bool isMissing(std::string_view path) const;
    bool isOn(std::string_view path) { return flag(path).value_or(false); }

    std::optional<bool> flag(std::string_view path);
    // Whole, of `least` at least and below 1e12; 5e8 is.
    std::optional<std::int64_t> count(std::string_view path, std::int64_t least = 0);
    std::optional<double> number(std::string_view path);
    std::optional<std::string> text(std::string_view path);

    // Of the keys that were asked for, those that are "auto".
    const std::vector<std::string>& autos() const { return m_autos; }
    void refuse(std::string_view path, std::string_view need);
    // Of the keys that were not asked for by now, what was probably meant.
    std::vector<std::string> misspelt() const { return m_asked.misspelt(pathsIn(m_root)); }

private:
    const nlohmann::json* find(std::string_view path);
    // A value that says something.
    const nlohmann::json* told(std::string_view path);

    const nlohmann::json& m_root;
    std::vector<std::string>& m_notes;
    AskedNames m_asked;
    std::vector<std::string> m_autos;
    std::vector<std::string> m_refused;
};

} // namespace shardscope

#include "core/scenario/scenario_difference.h"

#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardscope
{

namespace
{

using Json = nlohmann::ordered_json;

std::string textOf(const Json& value)
{
    if (value.is_null()) // not set, as the preset of figures of one's own
        return {};
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void addDifferences(const std::string& key, const Json& before, const Json& after,
                    std::vector<ScenarioDifference>& differences)
{
    if (before == after)
        return;
    if (!before.is_object() || !after.is_object()) {
        differences.push_back({key, textOf(before), textOf(after)});
        return;
    }
    for (const auto& [name, value] : after.items())
        if (before.contains(name))
            addDifferences(key.empty() ? name : key + '.' + name, before[name], value, differences);
}

// A preset that was changed has no name: then its keys tell; else the name stands for all that comes with it,
// but for the sequence length, which is a choice of its own.
void tellPreset(const std::string& section, std::vector<ScenarioDifference>& differences)
{
    const auto preset = std::ranges::find(differences, "preset", &ScenarioDifference::key);
    if (preset == differences.end())
        return;
    if (preset->before.empty() || preset->after.empty()) {
        differences.erase(preset);
        return;
    }
    preset->key = section;
    std::erase_if(differences, [&](const ScenarioDifference& one) {
        return one.key != section && one.key != "sequence_length";
    });
}

} // namespace

std::vector<ScenarioDifference> differences(const Scenario& before, const Scenario& after)
{
    const Json older = Json::parse(writeScenario(before, -1));
    const Json newer = Json::parse(writeScenario(after, -1));
    std::vector<ScenarioDifference> all;
    for (const auto& [section, value] : newer.items()) {
        if (section == "name" || !older.contains(section))
            continue;
        std::vector<ScenarioDifference> of_section;
        addDifferences(value.is_object() ? std::string{} : section, older[section], value, of_section);
        tellPreset(section, of_section);
        all.insert(all.end(), of_section.begin(), of_section.end());
    }
    return all;
}

} // namespace shardscope

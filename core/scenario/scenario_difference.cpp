#include "core/scenario/scenario_difference.h"

#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

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

// Lists that are empty are not in files, nor are recurrences of models without: a key that only one of them
// has counts as null in the other.
Json valueOf(const Json& object, const std::string& key)
{
    const auto found = object.find(key);
    return found == object.end() ? Json{} : *found;
}

void addDifferences(const std::string& key, const Json& before, const Json& after,
                    std::vector<ScenarioDifference>& differences)
{
    if (before == after)
        return;
    const auto is_section = [](const Json& value) { return value.is_object() || value.is_null(); };
    if (!is_section(before) || !is_section(after)) {
        differences.push_back({key, textOf(before), textOf(after)});
        return;
    }
    const auto path = [&](const std::string& name) { return key.empty() ? name : key + '.' + name; };
    for (const auto& [name, value] : after.items())
        addDifferences(path(name), valueOf(before, name), value, differences);
    for (const auto& [name, value] : before.items())
        if (!after.contains(name))
            addDifferences(path(name), value, {}, differences);
}

// Whether a model has a preset's name decides which of its keys a file has: here they are those of one
// without.
Json written(Scenario scenario)
{
    const std::string preset = std::exchange(scenario.model.preset, {});
    Json json = Json::parse(writeScenario(scenario, -1));
    if (!preset.empty())
        json["model"]["preset"] = preset;
    return json;
}

// Another preset says most of what it changes: its name stands for its section, and the keys follow at the
// end of all, where a reader finds what was changed besides. The sequence length is a choice of its own.
struct Section {
    std::vector<ScenarioDifference> first;
    std::vector<ScenarioDifference> last;
};

Section inOrder(const std::string& name, std::vector<ScenarioDifference> differences)
{
    const auto preset = std::ranges::find(differences, "preset", &ScenarioDifference::key);
    if (preset == differences.end())
        return {std::move(differences), {}};
    if (preset->before.empty() || preset->after.empty()) { // one's own figures have no name
        differences.erase(preset);
        return {std::move(differences), {}};
    }
    preset->key = name;
    const auto is_first = [&](const ScenarioDifference& one) {
        return one.key == name || one.key == "sequence_length";
    };
    const auto rest = std::stable_partition(differences.begin(), differences.end(), is_first);
    return {{differences.begin(), rest}, {rest, differences.end()}};
}

} // namespace

std::vector<ScenarioDifference> differences(const Scenario& before, const Scenario& after)
{
    const Json older = written(before);
    const Json newer = written(after);
    std::vector<ScenarioDifference> all;
    std::vector<ScenarioDifference> details;
    for (const auto& [name, value] : newer.items()) {
        if (name == "name")
            continue;
        std::vector<ScenarioDifference> of_section;
        addDifferences(value.is_object() ? std::string{} : name, valueOf(older, name), value, of_section);
        const Section section = inOrder(name, std::move(of_section));
        all.insert(all.end(), section.first.begin(), section.first.end());
        details.insert(details.end(), section.last.begin(), section.last.end());
    }
    all.insert(all.end(), details.begin(), details.end());
    // The file's word for an order names cp and ep only where there are such ranks.
    if (before.parallel.rank_order == after.parallel.rank_order)
        std::erase_if(all, [](const ScenarioDifference& one) { return one.key == "rank_order"; });
    return all;
}

} // namespace shardscope

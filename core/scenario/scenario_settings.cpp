#include "core/scenario/scenario_settings.h"

#include "core/base/most_ranks.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/hugging_face/hugging_face_config.h"
#include "core/scenario/json_text.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/scenario_change.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::string_view conventions = "conventions.";
constexpr std::string_view cluster = "cluster.";

// "a=1,b=[1,2]" at the commas that stand in no bracket.
std::vector<std::string_view> partsOf(std::string_view text)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char letter = i < text.size() ? text[i] : ',';
        depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
        if (letter != ',' || (depth > 0 && i < text.size()))
            continue;
        parts.push_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    return parts;
}

Error noSuchKey(const std::string& name, const std::vector<std::string>& possible)
{
    if (possible.empty())
        return {name + " is not a known key; " + hintAtKeys(name)};
    std::string sentence = name + " may be";
    for (const std::string& key : possible)
        sentence += (&key == &possible.front() ? " " : " or ") + key;
    return {sentence + "; write one of them whole"};
}

// What reports and papers call the degrees, which would else be found elsewhere or not at all.
constexpr std::array degrees{std::pair{"tp", "parallel.tensor"}, std::pair{"pp", "parallel.pipeline"},
                             std::pair{"dp", "parallel.data"}, std::pair{"cp", "parallel.context"},
                             std::pair{"ep", "parallel.expert"}};

Result<std::string> wholeKey(const std::string& name)
{
    for (const auto& [degree, key] : degrees)
        if (name == degree)
            return std::string{key};
    const std::vector<std::string>& known = scenarioKeys();
    if (std::ranges::find(known, name) != known.end())
        return name;
    std::vector<std::string> possible;
    std::ranges::copy_if(known, std::back_inserter(possible),
                         [&name](const std::string& key) { return key.ends_with("." + name); });
    if (possible.size() != 1)
        return noSuchKey(name, possible);
    return possible.front();
}

// What is no JSON is a word: bf16, dgx-h100.
std::string jsonOf(std::string_view value)
{
    const auto parsed = parseJson(value);
    return parsed ? parsed.value().dump() : json(std::string{value}).dump();
}

void put(json& root, const std::string& key, const std::string& value)
{
    json* place = &root;
    std::size_t begin = 0;
    for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
        place = &(*place)[key.substr(begin, dot - begin)];
        if (!place->is_object()) // null, or of a wrong type
            *place = json::object();
        begin = dot + 1;
    }
    (*place)[key.substr(begin)] = json::parse(value);
}

bool has(const json& root, const std::string& key, const std::string& value)
{
    const JsonPathEnd end = followPath(root, key);
    return end.is_whole && *end.value == json::parse(value);
}

// A name stands for figures where a file leaves them out.
bool isName(const std::string& key)
{
    return key == "model.preset" || key == "cluster.preset" || key == "cluster.gpu";
}

// All that a scenario's file would have.
json figuresOf(const Scenario& scenario)
{
    return json::parse(writeScenario(scenario));
}

// What the configuration of a model tells; the rest follows from it and from what is set.
json figuresOfModel(const Scenario& scenario)
{
    const json all = figuresOf(scenario);
    return {{"name", all["name"]},
            {"time_model", all["time_model"]},
            {"model", all["model"]},
            {"training", {{"precision", all["training"]["precision"]}}},
            {"cluster", all["cluster"]}};
}

void addUnknown(std::vector<std::string> warnings, std::vector<std::string>& known)
{
    for (std::string& warning : warnings)
        if (std::ranges::find(known, warning) == known.end())
            known.push_back(std::move(warning));
}

bool hasScenarioKeys(const json& root)
{
    return root.is_object() && !root.contains("traceEvents") && !isHuggingFaceConfig(root)
           && !isDeepSpeedConfig(root);
}

} // namespace

Result<ScenarioSettings> ScenarioSettings::parse(std::string_view text)
{
    ScenarioSettings settings;
    for (const std::string_view part : partsOf(text)) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size())
            return Error{"\"" + std::string{part}
                         + "\" sets nothing: give keys with their values, as in tensor=4,recompute=full"};
        Result<std::string> key = wholeKey(std::string{part.substr(0, equals)});
        if (!key)
            return key.error();
        if (std::ranges::find(settings.m_settings, key.value(), &Setting::key) != settings.m_settings.end())
            return Error{key.value() + " is set twice"};
        settings.m_settings.push_back({std::move(key).value(), jsonOf(part.substr(equals + 1))});
    }
    return settings;
}

std::string ScenarioSettings::putInto(std::string_view text) const
{
    auto parsed = isEmpty() ? Result<json>{Error{}} : parseJson(text);
    if (!parsed || !hasScenarioKeys(parsed.value()))
        return std::string{text};
    json root = std::move(parsed).value();
    for (const Setting& setting : m_settings)
        put(root, setting.key, setting.json);
    return root.dump();
}

bool ScenarioSettings::Setting::isLeft(ScenarioSource source, Replaced replaced) const
{
    return source != ScenarioSource::scenario || replaced == Replaced::figures
           || (replaced == Replaced::cluster && isOf(cluster));
}

// The scenario of `figures` with those settings among them that `chosen` tells; that of the reading, where it
// has them.
Result<Scenario> ScenarioSettings::readWith(json figures, const Presets& presets, ScenarioReading& reading,
                                            const std::function<bool(const Setting&)>& chosen) const
{
    bool is_changed = false;
    for (const Setting& setting : m_settings) {
        if (!chosen(setting) || has(figures, setting.key, setting.json))
            continue;
        if (isName(setting.key))
            return Error{setting.key + " would change a name alone: every figure is known; set figures"};
        put(figures, setting.key, setting.json);
        is_changed = true;
    }
    if (!is_changed)
        return reading.scenario;
    Result<ScenarioReading> set = readScenario(figures.dump(), presets);
    if (!set)
        return set.error();
    addUnknown(std::move(set.value().warnings), reading.warnings);
    return std::move(set.value().scenario);
}

Result<bool> ScenarioSettings::putInto(ScenarioReading& reading, const Presets& presets,
                                       Replaced replaced) const
{
    const Scenario before = reading.scenario;
    const bool is_model_alone =
        reading.source == ScenarioSource::model_config && replaced != Replaced::figures;
    const auto isLeft = [&](const Setting& setting) { return setting.isLeft(reading.source, replaced); };
    Result<Scenario> set = readWith(
        is_model_alone ? figuresOfModel(before) : figuresOf(before), presets, reading,
        [&](const Setting& one) { return isLeft(one) && (is_model_alone || !one.isOf(conventions)); });
    if (!set)
        return set.error();
    reading.scenario =
        is_model_alone ? std::move(set).value() : withFollowingConventions(before, std::move(set).value());
    set = readWith(figuresOf(reading.scenario), presets, reading,
                   [&](const Setting& one) { return isLeft(one) && one.isOf(conventions); });
    if (!set)
        return set.error();
    reading.scenario = std::move(set).value();
    followReplicas(reading, before);
    return true;
}

// So many times the batch of a replica, where the file tells that one and nobody the global one.
void ScenarioSettings::followReplicas(ScenarioReading& reading, const Scenario& before) const
{
    Training& training = reading.scenario.training;
    const bool is_set =
        std::ranges::find(m_settings, "training.global_batch_size", &Setting::key) != m_settings.end();
    const std::int64_t of_replica =
        training.global_batch_size / std::max<std::int64_t>(1, before.parallel.data);
    if (reading.batch_is_of_replica && !is_set && reading.scenario.parallel.data <= most_ranks)
        training.global_batch_size = of_replica * reading.scenario.parallel.data;
}

} // namespace shardscope

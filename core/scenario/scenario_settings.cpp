#include "core/scenario/scenario_settings.h"

#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/hugging_face/hugging_face_config.h"
#include "core/scenario/json_text.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/scenario_change.h"

#include <nlohmann/json.hpp>

#include <algorithm>
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

Result<std::string> wholeKey(const std::string& name)
{
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

Result<bool> ScenarioSettings::putInto(ScenarioReading& reading, const Presets& presets,
                                       Replaced replaced) const
{
    // The conventions last: the others follow the figures first.
    for (const bool are_conventions : {false, true}) {
        json root = json::parse(writeScenario(reading.scenario));
        bool is_changed = false;
        for (const Setting& setting : m_settings) {
            if (setting.isOf(conventions) != are_conventions || !setting.isLeft(reading.source, replaced)
                || has(root, setting.key, setting.json))
                continue;
            if (isName(setting.key))
                return Error{setting.key + " would change a name alone: every figure is known; set figures"};
            put(root, setting.key, setting.json);
            is_changed = true;
        }
        if (!is_changed)
            continue;
        Result<ScenarioReading> set = readScenario(root.dump(), presets);
        if (!set)
            return set.error();
        addUnknown(std::move(set.value().warnings), reading.warnings);
        reading.scenario = are_conventions
                               ? std::move(set).value().scenario
                               : withFollowingConventions(reading.scenario, std::move(set).value().scenario);
    }
    return true;
}

} // namespace shardscope

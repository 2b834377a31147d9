#include "core/scenario/scenario_settings.h"

#include "core/base/most_ranks.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/hugging_face/hugging_face_config.h"
#include "core/scenario/json_text.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/other_names.h"
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

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// "a=1,b=[1,2]" at the commas that stand in no bracket and no quotes. Error: one is not closed.
Result<std::vector<std::string_view>> partsOf(std::string_view text)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        is_quoted = letter == '"' ? !is_quoted : is_quoted;
        if (!is_quoted)
            depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
        if (letter != ',' || depth > 0 || is_quoted)
            continue;
        parts.push_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    parts.push_back(trimmed(text.substr(begin)));
    if (depth != 0 || is_quoted)
        return Error{"\"" + std::string{parts.back()} + "\" opens or closes a bracket or quotes alone"};
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

// In the place of all that is there one object would leave out more than it sets.
Result<std::string> ofNoSection(const std::string& key)
{
    for (const std::string& known : scenarioKeys())
        if (known.starts_with(key + "."))
            return Error{key + " is a section; set its keys one by one, as in " + known};
    return key;
}

Result<std::string> wholeKey(const std::string& name)
{
    if (const std::string_view key = keyOfOtherName(name); !key.empty())
        return std::string{key};
    const std::vector<std::string>& known = scenarioKeys();
    if (std::ranges::find(known, name) != known.end())
        return ofNoSection(name);
    std::vector<std::string> possible;
    std::ranges::copy_if(known, std::back_inserter(possible),
                         [&name](const std::string& key) { return key.ends_with("." + name); });
    if (possible.size() != 1)
        return noSuchKey(name, possible);
    return ofNoSection(possible.front());
}

// What is no JSON is a word, or a list of words: bf16, dgx-h100, [moe_act,mlp].
std::string jsonOf(std::string_view value)
{
    if (const auto parsed = parseJson(value))
        return parsed.value().dump();
    if (value.starts_with('[') && value.ends_with(']')) {
        std::string list;
        if (const auto parts = partsOf(value.substr(1, value.size() - 2)))
            for (const std::string_view part : parts.value())
                list += (list.empty() ? "" : ",") + jsonOf(part);
        return '[' + list + ']';
    }
    return json(std::string{value}).dump(-1, ' ', false, json::error_handler_t::replace);
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

// What the figures that are set take with them. The arguments of a run say themselves what overlaps and in
// which format weights are gathered, if only by leaving it out.
Scenario following(const Scenario& before, Scenario set, ScenarioSource source)
{
    Scenario followed = withFollowingConventions(before, std::move(set));
    if (!isOfRun(source))
        return followed;
    const std::int64_t bucket_bytes = followed.conventions.dp_bucket_bytes;
    const bool has_as_many_buckets = followed.conventions.dp_reduction == before.conventions.dp_reduction;
    followed.conventions = before.conventions;
    if (has_as_many_buckets) // Megatron-LM's grow with the replicas
        followed.conventions.dp_bucket_bytes = bucket_bytes;
    return followed;
}

// As the readers of jobs, of scripts and of DeepSpeed's configuration say it.
bool tellsReplicasAreUntold(const std::string& warning)
{
    constexpr std::array beginnings{"data_parallel_shard_degree is -1", "On how many GPUs "};
    return std::ranges::any_of(beginnings,
                               [&warning](const char* begin) { return warning.starts_with(begin); });
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
    const Result<std::vector<std::string_view>> parts = partsOf(text);
    if (!parts)
        return parts.error();
    for (const std::string_view part : parts.value()) {
        const std::size_t equals = part.find('=');
        const std::string_view name = trimmed(part.substr(0, equals));
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view{} : trimmed(part.substr(equals + 1));
        if (name.empty() || value.empty())
            return Error{"\"" + std::string{part}
                         + "\" sets nothing: give keys with their values, as in tensor=4,recompute=full"};
        Result<std::string> key = wholeKey(std::string{name});
        if (!key)
            return key.error();
        if (std::ranges::find(settings.m_settings, key.value(), &Setting::key) != settings.m_settings.end())
            return Error{key.value() + " is set twice"};
        settings.m_settings.push_back({std::move(key).value(), jsonOf(value)});
    }
    return settings;
}

std::string ScenarioSettings::inText(std::string_view text) const
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
            return Error{setting.key + " names figures that the file has already; set figures"};
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

Result<bool> ScenarioSettings::applyTo(ScenarioReading& reading, const Presets& presets,
                                       Replaced replaced) const
{
    if (isEmpty())
        return true;
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
        is_model_alone ? std::move(set).value() : following(before, std::move(set).value(), reading.source);
    set = readWith(figuresOf(reading.scenario), presets, reading,
                   [&](const Setting& one) { return isLeft(one) && one.isOf(conventions); });
    if (!set)
        return set.error();
    reading.scenario = std::move(set).value();
    followReplicas(reading, before);
    return true;
}

// Batches: so many micro-batches of each replica as before, where the file tells no global one and nobody
// sets it. Notes: of how many replicas there are once that is set.
void ScenarioSettings::followReplicas(ScenarioReading& reading, const Scenario& before) const
{
    const auto isSet = [this](std::string_view key) {
        return std::ranges::find(m_settings, key, &Setting::key) != m_settings.end();
    };
    const Parallel& parallel = reading.scenario.parallel;
    Training& training = reading.scenario.training;
    const bool is_changed = parallel.data != before.parallel.data
                            || training.micro_batch_size != before.training.micro_batch_size;
    const bool is_countable = parallel.data <= most_ranks && training.micro_batch_size <= most_ranks;
    if (reading.batch_is_of_replica && is_changed && is_countable && !isSet("training.global_batch_size"))
        training.global_batch_size = before.microBatches() * training.micro_batch_size * parallel.data;
    if (isSet("parallel.data"))
        std::erase_if(reading.warnings, tellsReplicasAreUntold);
}

} // namespace shardscope

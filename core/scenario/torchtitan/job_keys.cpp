#include "core/scenario/torchtitan/job_keys.h"

#include "core/base/format.h"
#include "core/scenario/json_text.h"

namespace shardscope
{

namespace
{

std::vector<std::string> wordsBetweenCommas(std::string_view text)
{
    std::vector<std::string> words(1);
    for (const char letter : text) {
        if (letter == ',')
            words.emplace_back();
        else if (letter != ' ' && letter != '\t')
            words.back() += letter;
    }
    std::erase(words, std::string{});
    return words;
}

} // namespace

std::optional<std::int64_t> JobKeys::count(const KeyPaths& paths, std::int64_t largest, std::int64_t least)
{
    const nlohmann::json* value = find(paths);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_number_integer() && *value >= least && *value <= largest)
        return value->get<std::int64_t>();
    fail(paths, "a whole number from " + std::to_string(least) + " to " + formatGrouped(largest));
    return std::nullopt;
}

std::optional<std::int64_t> JobKeys::countUnlessOpen(const KeyPaths& paths)
{
    const nlohmann::json* value = find(paths);
    if (value == nullptr || (value->is_number_integer() && *value == -1))
        return std::nullopt;
    if (value->is_number_integer() && *value >= 1 && *value <= most)
        return value->get<std::int64_t>();
    fail(paths, "-1 or a whole number from 1 to " + formatGrouped(most));
    return std::nullopt;
}

bool JobKeys::isOn(const KeyPaths& paths)
{
    const nlohmann::json* value = find(paths);
    if (value == nullptr)
        return false;
    if (value->is_boolean())
        return value->get<bool>();
    fail(paths, "true or false");
    return false;
}

std::optional<std::string> JobKeys::text(const KeyPaths& paths)
{
    const nlohmann::json* value = find(paths);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_string())
        return value->get<std::string>();
    fail(paths, "text");
    return std::nullopt;
}

std::vector<std::string> JobKeys::words(const KeyPaths& paths)
{
    const nlohmann::json* value = find(paths);
    if (value == nullptr)
        return {};
    if (value->is_string())
        return wordsBetweenCommas(value->get<std::string>());
    std::vector<std::string> words;
    if (!value->is_array())
        fail(paths, "a list of words");
    else
        for (const nlohmann::json& one : *value)
            words.push_back(one.is_string() ? one.get<std::string>() : excerpt(one));
    return words;
}

std::string JobKeys::written(const KeyPaths& paths) const
{
    for (const std::string_view path : paths)
        if (const nlohmann::json* value = find(path))
            return std::string{path} + " = " + (value->is_structured() ? value->dump() : excerpt(*value));
    return {};
}

void JobKeys::fail(const KeyPaths& paths, std::string_view need)
{
    for (const std::string_view path : paths)
        if (const nlohmann::json* value = find(path))
            return fail(std::string{path} + " is " + excerpt(*value) + "; it must be " + std::string{need});
}

void JobKeys::fail(const std::string& sentence)
{
    if (m_failure.empty())
        m_failure = sentence;
}

const nlohmann::json* JobKeys::find(std::string_view path) const
{
    m_asked.add(path);
    const JsonPathEnd reached = followPath(m_root, path);
    return reached.is_whole ? reached.value : nullptr;
}

std::vector<std::string> JobKeys::misspelt() const
{
    return m_asked.misspelt(pathsIn(m_root));
}

const nlohmann::json* JobKeys::find(const KeyPaths& paths) const
{
    for (const std::string_view path : paths)
        if (const nlohmann::json* value = find(path))
            return value;
    return nullptr;
}

} // namespace shardscope

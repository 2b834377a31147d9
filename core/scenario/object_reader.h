#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/words.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Reads the members of one JSON object, each through a check of its type. A visitor of Fields: what the
// object does not have keeps its value. The first thing that is wrong becomes the failure, a sentence that
// starts with the key's path.
class ObjectReader
{
public:
    enum class Null : std::uint8_t { refused, left_out };

    // `path` is the object's own ("model"; empty for the file itself). `failure` outlives the reader.
    // Null::left_out: null is the same as leaving the key out, and is written down in nulls().
    ObjectReader(const nlohmann::json& object, std::string path, std::string& failure,
                 Null null = Null::refused);

    // True when the key is there with a value.
    bool has(std::string_view key) const;
    // The object below a key, or nothing when it is not there. A failure when it is something else.
    const nlohmann::json* section(std::string_view key);
    // Accepts a key without reading it.
    void ignore(std::string_view key) { m_known.push_back(key); }
    // Fails over the first key that nobody asked for, naming the nearest known one.
    void refuseUnknownKeys();
    // Fails unless `value`, read from `key`, is one of the words.
    void requireWord(std::string_view key, const std::string& value, std::span<const std::string_view> words);
    void fail(std::string_view key, const std::string& what);
    std::vector<std::string>& nulls() { return m_nulls; }

    void operator()(std::string_view key, std::int64_t& member);
    void operator()(std::string_view key, int& member);
    void operator()(std::string_view key, double& member);
    void operator()(std::string_view key, bool& member);
    void operator()(std::string_view key, std::string& member);
    void operator()(std::string_view key, std::optional<double>& member);
    void operator()(std::string_view key, RankOrder& member);
    void operator()(std::string_view key, std::vector<std::int64_t>& member);
    void operator()(std::string_view key, std::vector<std::string>& member);
    void operator()(std::string_view key, std::vector<ParameterTensor>& member);
    // A text of words, or a list of them.
    void operator()(std::string_view key, std::vector<LayerForm>& member);

    template<HasWords Enum>
    void operator()(std::string_view key, Enum& member)
    {
        if (const nlohmann::json* value = find(key))
            if (const auto place = wordPlace(key, *value, words<Enum>()))
                member = static_cast<Enum>(*place);
    }

    // A list of words, or one word alone. Each counts once, in the enumeration's order.
    template<HasWords Enum>
    void operator()(std::string_view key, std::vector<Enum>& member)
    {
        const nlohmann::json* value = find(key);
        if (value == nullptr)
            return;
        const bool was_fine = m_failure.empty();
        std::set<Enum> chosen;
        for (const nlohmann::json& element : value->is_array() ? *value : nlohmann::json::array({*value}))
            if (const auto place = wordPlace(key, element, words<Enum>()))
                chosen.insert(static_cast<Enum>(*place));
        member.assign(chosen.begin(), chosen.end());
        if (was_fine && !m_failure.empty())
            m_failure += "; of several make a list: [\"" + std::string{words<Enum>()[0]} + "\", \""
                         + std::string{words<Enum>()[1]} + "\"]";
    }

    template<HasFields T>
    void operator()(std::string_view key, T& member)
    {
        const nlohmann::json* object = section(key);
        if (object == nullptr)
            return;
        ObjectReader inner{*object, pathOf(key), m_failure, m_null};
        Fields<T>::visit(inner, member);
        inner.refuseUnknownKeys();
        for (const std::string& null : inner.m_nulls)
            m_nulls.push_back(std::string{key} + "." + null);
    }

private:
    const nlohmann::json* find(std::string_view key);
    std::string pathOf(std::string_view key) const;
    std::optional<std::int64_t> wholeNumber(std::string_view key, const nlohmann::json& value);
    std::optional<double> number(std::string_view key, const nlohmann::json& value);
    std::optional<std::size_t> wordPlace(std::string_view key, const nlohmann::json& value,
                                         std::span<const std::string_view> words);

    const nlohmann::json& m_object;
    std::string m_path;
    std::string& m_failure;
    Null m_null;
    std::vector<std::string_view> m_known;
    std::vector<std::string> m_nulls;
};

} // namespace shardscope

#include "core/scenario/object_reader.h"

#include "core/scenario/json_text.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/rank_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace shardscope
{

namespace
{

using nlohmann::json;

std::string listed(std::span<const std::string_view> words)
{
    std::string text;
    for (const std::string_view word : words) {
        if (!text.empty())
            text += word == words.back() ? " or " : ", ";
        text += word;
    }
    return text;
}

} // namespace

ObjectReader::ObjectReader(const json& object, std::string path, std::string& failure, Null null)
    : m_object{object}, m_path{std::move(path)}, m_failure{failure}, m_null{null}
{
}

bool ObjectReader::has(std::string_view key) const
{
    const auto found = m_object.find(key);
    return found != m_object.end() && !found->is_null();
}

const json* ObjectReader::section(std::string_view key)
{
    const json* value = find(key);
    if (value == nullptr || value->is_object())
        return value;
    fail(key, "is " + excerpt(*value) + "; it must be an object with keys of its own: {...}");
    return nullptr;
}

void ObjectReader::refuseUnknownKeys()
{
    for (const auto& item : m_object.items()) {
        if (std::ranges::find(m_known, item.key()) != m_known.end())
            continue;
        const std::string quoted = excerpt(item.key());
        return fail(quoted.substr(1, quoted.size() - (quoted.back() == '"' ? 2 : 1)),
                    "is not a known key; " + hintAtKeys(pathOf(item.key())));
    }
}

void ObjectReader::requireWord(std::string_view key, const std::string& value,
                               std::span<const std::string_view> words)
{
    if (has(key) && std::ranges::find(words, value) == words.end())
        fail(key, "is " + excerpt(value) + "; choose " + listed(words));
}

void ObjectReader::fail(std::string_view key, const std::string& what)
{
    if (m_failure.empty())
        m_failure = pathOf(key) + " " + what;
}

void ObjectReader::operator()(std::string_view key, std::int64_t& member)
{
    if (const json* value = find(key))
        member = wholeNumber(key, *value).value_or(member);
}

void ObjectReader::operator()(std::string_view key, int& member)
{
    const json* value = find(key);
    if (value == nullptr)
        return;
    const auto whole = wholeNumber(key, *value);
    if (!whole)
        return;
    if (*whole < std::numeric_limits<int>::min() || *whole > std::numeric_limits<int>::max())
        return fail(key, "is " + excerpt(*value) + "; that is out of every range");
    member = static_cast<int>(*whole);
}

void ObjectReader::operator()(std::string_view key, double& member)
{
    if (const json* value = find(key))
        member = number(key, *value).value_or(member);
}

void ObjectReader::operator()(std::string_view key, bool& member)
{
    const json* value = find(key);
    if (value == nullptr)
        return;
    if (!value->is_boolean())
        return fail(key, "is " + excerpt(*value) + "; it must be true or false");
    member = value->get<bool>();
}

void ObjectReader::operator()(std::string_view key, std::string& member)
{
    const json* value = find(key);
    if (value == nullptr)
        return;
    if (!value->is_string())
        return fail(key, "is " + excerpt(*value) + "; it must be text in double quotes");
    member = value->get<std::string>();
}

void ObjectReader::operator()(std::string_view key, std::optional<double>& member)
{
    m_known.push_back(key);
    const auto found = m_object.find(key);
    if (found == m_object.end())
        return;
    member = found->is_null() ? std::nullopt : number(key, *found);
}

void ObjectReader::operator()(std::string_view key, RankOrder& member)
{
    std::string word;
    (*this)(key, word);
    if (!has(key) || !m_failure.empty())
        return;
    const auto order = rankOrderFromWord(word);
    if (!order)
        return fail(key, "is " + excerpt(word) + ": " + order.error().sentence);
    member = order.value();
}

void ObjectReader::operator()(std::string_view key, std::vector<std::int64_t>& member)
{
    const json* value = find(key);
    if (value == nullptr)
        return;
    if (!value->is_array())
        return fail(key, "is " + excerpt(*value) + "; it must be a list of whole numbers: [8, 7, 7, 8]");
    member.clear();
    for (const json& element : *value)
        member.push_back(wholeNumber(key, element).value_or(0));
}

void ObjectReader::operator()(std::string_view key, std::vector<std::string>& member)
{
    const json* value = find(key);
    if (value == nullptr)
        return;
    if (!value->is_array() || !std::ranges::all_of(*value, [](const json& text) { return text.is_string(); }))
        return fail(key, "must be a list of texts in double quotes");
    member = value->get<std::vector<std::string>>();
}

void ObjectReader::operator()(std::string_view key, std::vector<LayerForm>& member)
{
    const json* value = find(key);
    if (value == nullptr)
        return;
    const bool is_list =
        value->is_array() && std::ranges::all_of(*value, [](const json& word) { return word.is_string(); });
    std::string text = value->is_string() ? value->get<std::string>() : "";
    for (std::size_t i = 0; is_list && i < value->size(); ++i)
        text += (*value)[i].get<std::string>() + ' ';
    if (!is_list && !value->is_string())
        return fail(key, "is " + excerpt(*value) + "; " + std::string{layer_pattern_advice});
    auto pattern = layerPattern(text);
    if (!pattern)
        return fail(key, "has " + pattern.error().sentence);
    member = std::move(pattern).value();
}

void ObjectReader::operator()(std::string_view key, std::vector<ParameterTensor>& member)
{
    const json* value = find(key);
    if (value == nullptr)
        return;
    if (!value->is_array())
        return fail(
            key, "is " + excerpt(*value)
                     + "; it must be a list of tensors: [{\"name\": \"fc6.weight\", \"parameters\": 4096}]");
    member.clear();
    for (const json& element : *value) {
        const std::string place = std::string{key} + "[" + std::to_string(member.size()) + "]";
        if (!element.is_object())
            return fail(place, "is " + excerpt(element) + "; it must be an object with name and parameters");
        ObjectReader inner{element, pathOf(place), m_failure, m_null};
        Fields<ParameterTensor>::visit(inner, member.emplace_back());
        inner.refuseUnknownKeys();
    }
}

const json* ObjectReader::find(std::string_view key)
{
    m_known.push_back(key);
    const auto found = m_object.find(key);
    if (found == m_object.end())
        return nullptr;
    if (!found->is_null())
        return &*found;
    // A preset of null is how "none" is written.
    if (key == "preset")
        return nullptr;
    if (m_null == Null::left_out)
        m_nulls.emplace_back(key);
    else
        fail(key, "is null; leave the key out, or give it a value");
    return nullptr;
}

std::string ObjectReader::pathOf(std::string_view key) const
{
    return m_path.empty() ? std::string{key} : m_path + "." + std::string{key};
}

std::optional<std::int64_t> ObjectReader::wholeNumber(std::string_view key, const json& value)
{
    constexpr double exact = 9007199254740992.0; // 2^53: beyond it doubles skip whole numbers
    if (value.is_number_unsigned()) {
        if (value.get<std::uint64_t>()
            <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return value.get<std::int64_t>();
        fail(key, "is " + excerpt(value) + "; that is out of every range");
        return std::nullopt;
    }
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (value.is_number_float()) {
        const double real = value.get<double>();
        if (std::fabs(real) <= exact && std::trunc(real) == real)
            return static_cast<std::int64_t>(real);
        if (std::fabs(real) > exact) {
            fail(key, "is " + excerpt(value) + "; that is out of every range");
            return std::nullopt;
        }
    }
    fail(key, "is " + excerpt(value) + "; it must be a whole number"
                  + (value.is_string() ? ", without quotes" : ""));
    return std::nullopt;
}

std::optional<double> ObjectReader::number(std::string_view key, const json& value)
{
    if (value.is_number())
        return value.get<double>();
    fail(key,
         "is " + excerpt(value) + "; it must be a number" + (value.is_string() ? ", without quotes" : ""));
    return std::nullopt;
}

std::optional<std::size_t> ObjectReader::wordPlace(std::string_view key, const json& value,
                                                   std::span<const std::string_view> words)
{
    if (value.is_string()) {
        const auto found = std::ranges::find(words, value.get_ref<const std::string&>());
        if (found != words.end())
            return static_cast<std::size_t>(found - words.begin());
    }
    fail(key, "is " + excerpt(value) + "; choose " + listed(words));
    return std::nullopt;
}

} // namespace shardscope

#include "core/scenario/torchtitan/toml_text.h"

#include "core/scenario/json_text.h"

#include <toml++/toml.h>

#include <sstream>

namespace shardscope
{

namespace
{

nlohmann::json jsonOfToml(const toml::node& node);

nlohmann::json jsonOfTable(const toml::table& table)
{
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [key, value] : table)
        object[std::string{key.str()}] = jsonOfToml(value);
    return object;
}

nlohmann::json jsonOfArray(const toml::array& array)
{
    nlohmann::json list = nlohmann::json::array();
    for (const toml::node& value : array)
        list.push_back(jsonOfToml(value));
    return list;
}

// toml++ refuses what is nested deeper than a recursion comes back from.
nlohmann::json jsonOfToml(const toml::node& node)
{
    if (const toml::table* table = node.as_table())
        return jsonOfTable(*table);
    if (const toml::array* array = node.as_array())
        return jsonOfArray(*array);
    if (const auto text = node.value_exact<std::string>())
        return *text;
    if (const auto flag = node.value_exact<bool>())
        return *flag;
    if (const auto whole = node.value_exact<std::int64_t>())
        return *whole;
    if (const auto number = node.value_exact<double>())
        return *number;
    std::ostringstream moment;
    node.visit([&](const auto& value) { moment << value; });
    return moment.str();
}

} // namespace

Result<nlohmann::json> parseToml(std::string_view text)
{
    try {
        return jsonOfTable(toml::parse(text));
    } catch (const toml::parse_error& error) {
        const toml::source_position place = error.source().begin;
        return Error{"this is not TOML: line " + std::to_string(place.line) + ", column "
                     + std::to_string(place.column) + ": " + std::string{error.description()}};
    }
}

} // namespace shardscope

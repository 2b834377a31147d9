#include "core/scenario/megatron/run_arguments.h"

#include "core/base/whole_number.h"

#include <charconv>
#include <cmath>

namespace shardscope
{

RunArguments::RunArguments(std::span<const RunArgument> arguments)
{
    for (const RunArgument& one : arguments)
        m_values.insert_or_assign(one.name, one.value);
}

std::optional<std::string_view> RunArguments::text(std::string_view name) const
{
    m_asked.add(name);
    const auto found = m_values.find(name);
    if (found == m_values.end() || found->second == "None" || found->second.empty())
        return std::nullopt;
    return found->second;
}

std::vector<std::string> RunArguments::misspelt() const
{
    std::vector<std::string> names;
    for (const auto& [name, value] : m_values)
        names.push_back(name);
    return m_asked.misspelt(names);
}

std::optional<double> RunArguments::decimal(std::string_view name) const
{
    const auto told = text(name);
    double value = 0.0;
    if (!told)
        return std::nullopt;
    const auto [end, error] = std::from_chars(told->data(), told->data() + told->size(), value);
    const bool is_number = error == std::errc{} && end == told->data() + told->size() && std::isfinite(value);
    return is_number ? std::optional{value} : std::nullopt;
}

std::optional<std::int64_t> RunArguments::number(std::string_view name) const
{
    constexpr double most = 1e15;
    const auto value = decimal(name);
    if (!value || std::abs(*value) > most || *value != std::floor(*value))
        return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

std::optional<std::int64_t> RunArguments::size(std::initializer_list<std::string_view> names) const
{
    constexpr std::int64_t most = 1'000'000'000;
    for (const std::string_view name : names)
        if (const auto value = number(name); value && *value > 0 && *value < most)
            return value;
    return std::nullopt;
}

std::vector<std::int64_t> RunArguments::numbers(std::string_view name) const
{
    std::string_view rest = text(name).value_or("");
    if (rest.starts_with('[') && rest.ends_with(']'))
        rest = rest.substr(1, rest.size() - 2);
    std::vector<std::int64_t> values;
    constexpr std::string_view separators = ", ";
    while (!rest.empty()) {
        rest.remove_prefix(std::min(rest.find_first_not_of(separators), rest.size()));
        const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
        const auto value = wholeNumber(rest.substr(0, end));
        if (!value && end > 0)
            return {};
        if (value)
            values.push_back(*value);
        rest.remove_prefix(end);
    }
    return values;
}

} // namespace shardscope

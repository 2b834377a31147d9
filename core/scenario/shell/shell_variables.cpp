#include "core/scenario/shell/shell_variables.h"

#include <utility>

namespace shardscope
{

namespace
{

constexpr std::size_t most_variables = 10'000; // no script has as many; a text that has is not kept in memory

}

void ShellVariables::assign(std::string_view name, ShellValue value, bool builds_on_itself)
{
    const auto place = m_values.find(name);
    if (place == m_values.end()) {
        if (m_values.size() < most_variables)
            m_values.emplace(name, std::move(value));
        return;
    }
    ShellValue& old = place->second;
    const bool varies = !builds_on_itself && !value.is_list
                        && (value.text != old.text || value.unknown.empty() != old.unknown.empty());
    std::string varying = varies ? "$" + std::string{name} : std::exchange(old.varying, {});
    if (value.unknown.empty() || !old.unknown.empty())
        old = std::move(value);
    if (!varying.empty())
        old.varying = std::move(varying);
}

const ShellValue* ShellVariables::find(std::string_view name) const
{
    if (const ShellValue* value = findSoFar(name))
        return value;
    return m_later != nullptr ? m_later->findSoFar(name) : nullptr;
}

const ShellValue* ShellVariables::findSoFar(std::string_view name) const
{
    const auto place = m_values.find(name);
    return place == m_values.end() ? nullptr : &place->second;
}

} // namespace shardscope

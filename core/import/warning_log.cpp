#include "core/import/warning_log.h"

#include <algorithm>
#include <string>

namespace shardscope
{

namespace
{

constexpr std::size_t most_positions = 20;

} // namespace

void WarningLog::add(std::string_view what, std::int64_t position, std::int64_t count)
{
    if (count == 0)
        return;
    ImportWarning& warning = find(what);
    warning.count += count;
    if (position >= 0 && warning.positions.size() < most_positions)
        warning.positions.push_back(position);
}

void WarningLog::add(const WarningLog& other)
{
    for (const ImportWarning& theirs : other.m_warnings)
        add(theirs);
}

void WarningLog::add(const ImportWarning& warning)
{
    ImportWarning& ours = find(warning.what);
    ours.count += warning.count;
    const std::size_t room = most_positions - ours.positions.size();
    ours.positions.insert(ours.positions.end(), warning.positions.begin(),
                          warning.positions.begin()
                              + static_cast<std::ptrdiff_t>(std::min(room, warning.positions.size())));
}

ImportWarning& WarningLog::find(std::string_view what)
{
    const auto found = std::ranges::find(m_warnings, what, &ImportWarning::what);
    if (found != m_warnings.end())
        return *found;
    m_warnings.push_back({std::string(what), 0, {}});
    return m_warnings.back();
}

} // namespace shardscope

#pragma once

#include "core/trace/trace_set.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// Counts what was odd in a file, by kind, and keeps where the first ones stood.
class WarningLog
{
public:
    void add(std::string_view what, std::int64_t position = -1, std::int64_t count = 1);
    void add(const WarningLog& other);
    void add(const ImportWarning& warning);
    bool empty() const { return m_warnings.empty(); }
    const std::vector<ImportWarning>& warnings() const { return m_warnings; }

private:
    ImportWarning& find(std::string_view what);

    std::vector<ImportWarning> m_warnings;
};

} // namespace shardscope
